/**
 * The simulated tenant of the bench of sessions, a process of its own so that its work isn't part of
 * the server's figures. It serves all hosts of the cloud at one address and answers its parent's
 * calls.
 */
import { serve } from '@hono/node-server';
import type { JobItem } from '../../contract/backup/jobs.ts';
import { createDemoTenant } from '../../server/demo/tenant/tenant.ts';

/** What a call answers. */
export interface TenantAnswer {
  readonly origin: string;
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly appId: string;
  readonly secret: string;
  /** What a job selects for each kind of item. */
  readonly selected: Readonly<Record<string, readonly JobItem[]>>;
  /** Folders of mails in each mailbox. */
  readonly folders: number;
  /** Name of the person of `mails`, and how many mails the inbox has. */
  readonly person: string;
  readonly inbox: number;
  /** That the tenant got so far. */
  readonly requests: number;
}

/** What happens in the tenant before it answers. */
export interface TenantCall {
  readonly add?: { readonly kind: string; readonly count: number };
  /** Deletes as many mails, from the oldest on, in each inbox, or in that of `mails`. */
  readonly remove?: { readonly from: 'each' | 'first'; readonly count: number };
}

const ROLES = [
  'User.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
  'TeamMember.Read.All',
  'ChannelMember.Read.All',
  'ChannelMessage.Read.All',
  'Files.Read.All',
  'Sites.Read.All',
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'MailboxItem.ImportExport.All',
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
];

const INBOX = 'inbox';
const FOLDERS_EACH = 40;
const [people = '3', mails = '1'] = process.argv.slice(2);
const tenant = createDemoTenant({
  file: null,
  seed: 5,
  now: () => Date.now(),
  size: {
    people: Number(people),
    minMails: Number(mails),
    maxMails: Number(mails),
    minFiles: 1,
    maxFiles: 1,
    maxFileBytes: 1_000,
  },
});
const { admin } = tenant;
const { appId, secret } = admin.registerApplication('Backup', ROLES);
const users = admin.listUsers().map(({ id }) => id);
const [mailbox = '', drive = ''] = users;
const { teams } = admin;
const team = teams.list()[0]?.id ?? '';
const channel = teams.listChannels(team)[0]?.id ?? '';
const site = admin.addSite('Benchmark').id;
const list = admin.addList(site, 'Rows').id;
const adders: Readonly<Record<string, () => unknown>> = {
  mails: () => admin.addMessage(mailbox),
  files: () => admin.addFile(drive),
  posts: () => teams.addPost(team, channel),
  rows: () => admin.addRow(site, list),
  folders: addFolder,
};
/** The folders of the drive, in the order in which they were added. */
const folders: string[] = [];

/** Each folder has up to 40 in it: 100,000 are on four levels. */
function addFolder(): void {
  const n = folders.length;
  const parent = n < FOLDERS_EACH ? null : (folders[Math.floor(n / FOLDERS_EACH) - 1] ?? null);
  folders.push(admin.addFolder(drive, parent, `Folder ${n}`).id);
}
let requests = 0;

const server = serve(
  {
    port: 0,
    hostname: '127.0.0.1',
    fetch(request: Request) {
      requests += 1;
      return tenant.fetch(toCloud(request));
    },
  },
  ({ port }) => {
    const answer = (): TenantAnswer => ({
      origin: `http://127.0.0.1:${port}`,
      id: tenant.id,
      name: tenant.name,
      domain: tenant.domain,
      appId,
      secret,
      selected: {
        mails: [{ type: 'User', id: mailbox, parts: ['mailbox'] }],
        folders: [{ type: 'User', id: drive, parts: ['oneDrive'] }],
        files: [{ type: 'User', id: drive, parts: ['oneDrive'] }],
        posts: [{ type: 'Team', id: team, parts: ['teams', 'teamsChats'] }],
        rows: [{ type: 'Site', id: site, parts: ['sites'] }],
        mailboxes: users.map((id) => ({ type: 'User', id, parts: ['mailbox'] })),
      },
      person: admin.listUsers()[0]?.name ?? '',
      inbox: admin.listMessages(mailbox, INBOX).length,
      folders: admin.listFolders(mailbox).length,
      requests,
    });
    process.on('message', ({ add, remove }: TenantCall) => {
      for (let n = 0; n < (add?.count ?? 0); n += 1) adders[add?.kind ?? '']?.();
      const emptied = remove?.from === 'each' ? users : [mailbox];
      if (remove !== undefined)
        for (const user of emptied)
          for (const { id } of admin.listMessages(user, INBOX).slice(0, remove.count))
            admin.purgeMessage(user, id);
      process.send?.(answer());
    });
    process.send?.(answer());
  },
);
process.once('disconnect', () => {
  server.close();
  tenant.close();
  process.exit();
});

/** Returns the request as the cloud's host gets it. */
function toCloud(request: Request): Request {
  const { pathname, search } = new URL(request.url);
  const host = request.headers.get('x-forwarded-host') ?? '';
  return new Request(`https://${host}${pathname}${search}`, {
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    redirect: 'manual',
    ...(request.body ? { duplex: 'half' } : {}),
  });
}
