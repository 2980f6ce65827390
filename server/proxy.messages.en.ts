import { defineMessages } from '#contract/i18n/messages.ts';

/** What a proxy prints for the operator. */
export const proxyCommandMessages = defineMessages('proxy-command', {
  nameWrong:
    'Name the proxy with --name, and its pool with --pool if it has one. A name has at most 200 characters.',
  reservedName: 'Every server is the proxy {name}. Choose another name.',
  needsPostgres:
    'A proxy needs the PostgreSQL database of the servers: set DATABASE_URL. On the embedded database, the server does all work itself.',
  needsKey:
    "A proxy needs the servers' secret key. Set DAYBOOK_SECRET_KEY, or copy secret.key from a server's data folder to {folder}.",
  notOpened: "The database can't be used. {error}",
  nameTaken: 'A proxy with the name {name} is running. Choose another name, or stop that one.',
  nameLost: 'Another process has taken the name {name}, so this one stops.',
  simulated:
    'This database has simulated Microsoft 365 organizations, which only its server reaches. Start the proxy on a database without demo data.',
  running: 'The proxy {name} is running.',
  noFolder:
    "It doesn't have the folder of the servers' repositories, so it only works for repositories in object storage. To change that, share the folder and set DAYBOOK_REPOSITORIES.",
  draining: 'The proxy {name} takes no more work and stops.',
});
