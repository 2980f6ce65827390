import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import { findImport } from '#server/engine/embedded/imports/import-rows.ts';
import { runImport } from '#server/engine/embedded/imports/run-import.ts';
import { testImapServer } from '#server/engine/embedded/imports/imap/imap-server.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { systemClock } from '#server/platform/clock.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { type Library, openLibrary } from '../restore/content.ts';
import type { Asker } from '../sync/fixtures.ts';
import { makeMail } from './archives.ts';
import { type Dovecot, missing, PASSWORD, startDovecot } from './dovecot.ts';
import { must, openOffice, run } from './office.ts';

type Import = OutputOf<'getImport'>;
type Server = InputOf<'testImapServer'>['server'];
interface Rows {
  readonly rows: readonly {
    readonly id: string;
    readonly name: string;
    readonly read?: boolean;
    readonly at?: number;
    readonly children?: number;
  }[];
}

let dovecot: Dovecot | null = null;
const getDovecot = (): Dovecot => {
  if (dovecot === null) throw new Error('Dovecot did not start.');
  return dovecot;
};
beforeAll(async () => {
  if (missing === '') dovecot = await startDovecot();
});
afterAll(async () => {
  await dovecot?.stop();
});

/** A portal whose operator allows mailboxes on this machine. */
async function openPortal(store: Store, allow: readonly string[] = ['127.0.0.0/8']) {
  const office = await openOffice(store);
  const { config } = office.library.ground.context;
  (config as { outbound?: unknown }).outbound = { allow, http: true };
  return office;
}

const getServer = (username: string, more: Partial<Server> = {}): Server => ({
  host: '127.0.0.1',
  port: getDovecot().tlsPort,
  security: 'tls',
  username,
  password: PASSWORD,
  certificate: getDovecot().certificate,
  ...more,
});

async function importMailbox(
  library: Library,
  path: string,
  server: Server,
  mailbox: { readonly name: string } | { readonly id: string } = { name: 'Zoë' },
): Promise<string> {
  const created = library.admin<{ id: string }>('POST', `${path}/imap`, {
    repositoryId: library.ours.repository,
    server,
    mailbox,
  });
  return (await must(created)).id;
}

const getMailbox = async ({ admin }: Library, path: string) => {
  const { mailboxes } = await must(admin<OutputOf<'listImports'>>('GET', path));
  return { id: mailboxes[0]?.id ?? '', items: mailboxes[0]?.items ?? 0 };
};

/** Mails of a restore point: folder, bytes, whether it was read, and when it was received. */
async function readPoint({ admin, ours, read }: Library): Promise<readonly unknown[]> {
  const session = await openLibrary(admin, ours);
  const at = `o365/restore/restoresessions/${session}/mailboxes`;
  const mailbox = (await must(admin<Rows>('GET', at))).rows[0]?.id ?? '';
  const found: { readonly folder: string }[] = [];
  async function walk(parent: string, path: string): Promise<void> {
    const folders = await must(
      admin<Rows>('GET', `${at}/${mailbox}/folders?parentId=${parent}&limit=500`),
    );
    for (const { id, name } of folders.rows) {
      const folder = path === '' ? name : `${path}/${name}`;
      const items = await must(
        admin<Rows>('GET', `${at}/${mailbox}/items?parentId=${id}&limit=500`),
      );
      for (const item of items.rows) {
        const link = await must(
          admin<{ url: string }>('POST', `${at}/${mailbox}/items/download`, {
            items: [item.id],
            format: 'eml',
          }),
        );
        const mime = (await read(link.url)).bytes.toString('latin1');
        found.push({ folder, mime, read: item.read, at: item.at } as never);
      }
      await walk(id, folder);
    }
  }
  await walk('Root', '');
  return found.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Adds mails, with Python's own client. */
const FILL = String.raw`
def add(folder, n, flags='', day='03-Nov-2020 10:11:12 +0100'):
    text = f'From: Ann <ann{n}@example.com>\r\nTo: ben@example.org\r\nSubject: Mail {n}\r\nMessage-ID: <{n}@example.com>\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\xfc\xdfe {n}\r\n'
    must(imap.append(folder, flags, '"' + day + '"', text.encode('latin1')))
`;
/** Prints what Python's own client finds in the folders. */
const LIST = String.raw`
import email.utils, re, time
def found(folders):
    rows = []
    for folder, name in folders.items():
        must(imap.select(folder, readonly=True))
        for uid in must(imap.uid('search', None, 'ALL'))[0].split():
            data = must(imap.uid('fetch', uid, '(FLAGS INTERNALDATE BODY.PEEK[])'))
            head = data[0][0] + (data[1] if isinstance(data[1], bytes) else b'')
            at = int(time.mktime(imaplib.Internaldate2tuple(head))) * 1000
            rows.append({'folder': name, 'mime': data[0][1].decode('latin1'), 'read': '\\Seen' in [f.decode() for f in imaplib.ParseFlags(head)], 'at': at})
    print(json.dumps(rows))
`;
const FOLDERS = String.raw`{'INBOX': 'Inbox', 'Gesendet': 'Gesendet', '"Projects/Zo&AOs-"': 'Projects/Zoë'}`;

const sortRows = (rows: unknown): readonly unknown[] =>
  (rows as readonly Readonly<Record<string, unknown>>[])
    .map(({ folder, mime, read, at }) => ({ folder, mime, read, at }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Passes bytes on to the server, and cuts one answer off after some of its bytes. */
async function startCuttingProxy(port: number, afterBytes: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const proxy = createServer((socket) => {
    const upstream = connect({ host: '127.0.0.1', port });
    let bytes = 0;
    sockets.add(socket).add(upstream);
    upstream.on('data', (part: Buffer) => {
      bytes += part.length;
      if (!isCut && bytes > afterBytes) {
        isCut = true;
        socket.destroy();
        upstream.destroy();
      } else socket.write(part);
    });
    socket.on('data', (part: Buffer) => void upstream.write(part));
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      end.on('error', () => undefined);
      end.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', () => resolve()));
  return {
    port: (proxy.address() as AddressInfo).port,
    wasCut: () => isCut,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

const isHere = missing === '';

eachDatabase((kind, openStore) => {
  const prefix = kind.replaceAll(/\W/g, '');

  test.runIf(isHere)(
    `IMP-6: a mailbox on an IMAP server becomes a restore point with what another client finds in it, and the next import brings only what is new (${kind}${missing})`,
    async () => {
      const { library, PATH } = await openPortal(await openStore());
      const { admin } = library;
      const user = `${prefix}-ann`;
      const { run: ask } = getDovecot();
      ask(
        user,
        `${FILL}
must(imap.create('"Projects/Zo&AOs-"'))
add('INBOX', 1, '(\\\\Seen)')
add('INBOX', 2, '(\\\\Flagged)', '29-Feb-2024 23:59:59 -0330')
for n in range(3, 6): add('"Projects/Zo&AOs-"', n)
add('Gesendet', 6, '(\\\\Seen)')
add('Gesendet', 6, '(\\\\Seen)')`,
      );
      const server = getServer(user);
      const test = await must(
        admin<OutputOf<'testImapServer'>>('POST', `${PATH}/imap/test`, { server }),
      );
      expect(test).toEqual({ ok: true, message: null, entries: 7, seen: null });
      const id = await importMailbox(library, PATH, server);
      expect(await run(library, id)).toBe(null);
      const done = await must(admin<Import>('GET', `${PATH}/${id}`));
      expect([done.state, done.result, done.message, done.counts]).toEqual([
        'done',
        'success',
        null,
        // The same mail twice in a folder is one.
        { imported: 6, partial: 0, known: 1, skipped: 0, failed: 0 },
      ]);
      expect([done.source, done.entries, done.readEntries]).toEqual(['imap', 7, 7]);
      expect(done.account).toEqual({
        kind: 'imap',
        host: '127.0.0.1',
        port: server.port,
        security: 'tls',
        username: user,
        certificate: server.certificate,
      });
      const judge = sortRows(ask(user, `${LIST}\nfound(${FOLDERS})`));
      const mine = sortRows(await readPoint(library));
      expect(new Set(judge.map((row) => JSON.stringify(row)))).toEqual(
        new Set(mine.map((row) => JSON.stringify(row))),
      );
      expect(mine).toHaveLength(6);
      const { context } = library.ground;
      const folders = await context.store.tenant(library.office.tenant, ({ sql, tenant }) =>
        sql
          .selectFrom('folder')
          .select(['name', 'well_known'])
          .where('tenant_id', '=', tenant)
          .orderBy('name')
          .execute(),
      );
      expect(folders.map((row) => [row.name, row.well_known])).toEqual([
        ['Gesendet', 'sentitems'],
        ['Inbox', 'inbox'],
        ['Projects', null],
        ['Zoë', null],
      ]);
      // Nothing of the mailbox changed, and nobody has its password.
      const row = await context.store.tenant(library.office.tenant, (tx) => findImport(tx, id));
      expect(row?.sealed).toBe(null);
      expect(JSON.stringify(row)).not.toContain(PASSWORD);

      ask(user, `${FILL}\nadd('INBOX', 8)\nadd('"Projects/Zo&AOs-"', 9)`);
      library.ground.pass(1_000);
      const mailbox = { id: (await getMailbox(library, PATH)).id };
      const second = await importMailbox(library, PATH, server, mailbox);
      await run(library, second);
      const more = await must(admin<Import>('GET', `${PATH}/${second}`));
      expect([more.result, more.readEntries, more.counts.imported, more.counts.known]).toEqual([
        'success',
        2,
        2,
        0,
      ]);
      expect((await getMailbox(library, PATH)).items).toBe(8);

      library.ground.pass(1_000);
      const third = await importMailbox(library, PATH, server, mailbox);
      await run(library, third);
      const same = await must(admin<Import>('GET', `${PATH}/${third}`));
      expect([same.result, same.message, same.pointAt, same.readEntries]).toEqual([
        'success',
        'The mailbox on the server has no new mail.',
        null,
        0,
      ]);

      // The server numbers the mails of a folder from the beginning: none of them is imported twice.
      ask(
        user,
        `${FILL}
must(imap.delete('"Projects/Zo&AOs-"'))
must(imap.create('"Projects/Zo&AOs-"'))
for n in (5, 4, 3, 9, 10): add('"Projects/Zo&AOs-"', n)`,
      );
      library.ground.pass(1_000);
      const fourth = await importMailbox(library, PATH, server, mailbox);
      await run(library, fourth);
      expect((await must(admin<Import>('GET', `${PATH}/${fourth}`))).counts).toEqual({
        imported: 1,
        partial: 0,
        known: 4,
        skipped: 0,
        failed: 0,
      });
      expect((await getMailbox(library, PATH)).items).toBe(9);
    },
  );

  test.runIf(isHere)(
    `IMP-6: an import goes on after a cut line and after the end of the server, and doubles nothing (${kind}${missing})`,
    async () => {
      const { library, PATH } = await openPortal(await openStore());
      const { admin, office } = library;
      const { context } = library.ground;
      const user = `${prefix}-cut`;
      const mails = Array.from({ length: 1_000 }, (_, n) =>
        makeMail(n, n < 40 ? { body: 'x'.repeat(200_000) } : {}),
      );
      getDovecot().deliver(user, mails);
      const proxy = await startCuttingProxy(getDovecot().plainPort, 6_000_000);
      const server = getServer(user, { port: proxy.port, security: 'none', certificate: null });
      const id = await importMailbox(library, PATH, server);
      expect(await run(library, id)).toBe(context.clock.now() + 15_000);
      expect(proxy.wasCut()).toBe(true);
      const cut = await must(admin<Import>('GET', `${PATH}/${id}`));
      expect([cut.state, cut.entries]).toEqual(['running', 1_000]);
      expect(cut.readEntries).toBeGreaterThan(0);
      expect(cut.readEntries).toBeLessThan(1_000);
      // The server ends while a batch is stored.
      const end = new AbortController();
      const next = await runImport(
        {
          ...context,
          store: {
            ...context.store,
            async tenant(tenant, work, options) {
              const result = await context.store.tenant(tenant, work, options);
              const task = await context.store.tenant(tenant, (tx) => findImport(tx, id));
              if ((task?.next_entry ?? 0) > cut.readEntries) end.abort();
              return result;
            },
          },
        },
        context.embeddedEngine.sessions,
      )({
        tenant: office.tenant,
        payload: { import: id },
        now: context.clock.now(),
        signal: end.signal,
      });
      expect(next).not.toBe(null);
      const ended = await must(admin<Import>('GET', `${PATH}/${id}`));
      expect(ended.readEntries).toBeGreaterThan(cut.readEntries);
      expect(ended.readEntries).toBeLessThan(1_000);
      expect(await run(library, id)).toBe(null);
      proxy.stop();
      const done = await must(admin<Import>('GET', `${PATH}/${id}`));
      expect([done.result, done.counts, done.readEntries]).toEqual([
        'success',
        { imported: 1_000, partial: 0, known: 0, skipped: 0, failed: 0 },
        1_000,
      ]);

      // A server that stays away ends an import, with a sentence.
      const later = await importMailbox(library, PATH, server, { name: 'Another' });
      expect(await run(library, later)).not.toBe(null);
      library.ground.pass(61 * 60_000);
      expect(await run(library, later)).toBe(null);
      const lost = await context.store.tenant(office.tenant, (tx) => findImport(tx, later));
      expect([lost?.result, lost?.message]).toEqual([
        'failed',
        '127.0.0.1 refused the connection.',
      ]);
    },
  );

  test.runIf(isHere)(
    `IMP-7: a server that refuses the password ends the import, and the password is deleted (${kind}${missing})`,
    async () => {
      const { library, PATH } = await openPortal(await openStore());
      const { admin, ours, office } = library;
      const { context } = library.ground;
      const server = getServer(`${prefix}-eve`, { password: 'wrong' });
      const id = await importMailbox(library, PATH, server);
      const find = () => context.store.tenant(office.tenant, (tx) => findImport(tx, id));
      expect((await find())?.sealed).not.toContain('wrong');
      expect(await run(library, id)).toBe(null);
      const failed = await must(admin<Import>('GET', `${PATH}/${id}`));
      expect([failed.result, failed.message]).toEqual([
        'failed',
        '127.0.0.1 refused the username and password.',
      ]);
      expect((await find())?.sealed).toBe(null);

      const body = { repositoryId: ours.repository, server, mailbox: { name: 'Eve' } };
      const viewer: Asker = await office.as('viewer', ['operator']);
      expect((await viewer('POST', `${PATH}/imap`, body)).status).toBe(403);
      const cora = await office.as('cora', ['o365_admin'], [2]);
      expect((await cora('POST', `${PATH}/imap`, body)).status).toBe(404);
      expect((await cora('POST', `${PATH}/imap/test`, { server })).status).toBe(404);
      library.ground.pass(6 * 60_000);
      expect((await admin('POST', `${PATH}/imap`, body)).text).toContain('reauth_required');
    },
  );
});

test.runIf(isHere)(
  `IMP-7, OUTB-1: a wrong password, an untrusted certificate and an address that must not be reached are explained, and nothing goes out without TLS${missing}`,
  async () => {
    const { certificate, plainPort } = getDovecot();
    const ALLOWED = { allow: ['127.0.0.0/8'], http: true };
    const check = (more: Partial<Server>, outbound: object = ALLOWED) => {
      const context = { config: { outbound }, clock: systemClock };
      return testImapServer(context as unknown as AppContext, {
        kind: 'imap',
        ...getServer('eve', more),
      });
    };
    const explain = async (more: Partial<Server>, outbound?: object) => {
      const answer = await check(more, outbound);
      return answer.isOk ? null : answer.message;
    };
    const starttls = { port: plainPort, security: 'starttls' } as const;
    const plain = { port: plainPort, security: 'none', certificate: null } as const;
    const PLAIN =
      "Connections without TLS are only possible to the portal's own server. Its operator has to allow them.";
    const PRIVATE =
      "127.0.0.1 is in a private network, which the operator of this server hasn't allowed.";
    for (const [more, message, outbound] of [
      [{}, null],
      [starttls, null],
      [plain, null],
      [{ password: 'wrong' }, '127.0.0.1 refused the username and password.'],
      [{ port: plainPort }, '127.0.0.1 does not offer TLS.'],
      [{ port: 25 }, 'Port 25 is not one of IMAP servers.'],
      [{ certificate: 'none' }, 'Enter a certificate in PEM format.'],
      [{ host: 'nowhere.invalid' }, 'The host nowhere.invalid is unknown.'],
      [plain, PLAIN, { allow: ['127.0.0.0/8'] }],
      [{ ...plain, host: '10.1.1.1' }, PLAIN, { allow: ['10.0.0.0/8'], http: true }],
      [{}, PRIVATE, {}],
      [plain, PRIVATE, { allow: ['10.0.0.0/8'], http: true }],
    ] as const satisfies readonly (readonly [Partial<Server>, string | null, object?])[])
      expect([more, await explain(more, outbound)]).toEqual([more, message]);
    for (const place of [{}, starttls]) {
      const untrusted = await check({ ...place, certificate: null });
      if (untrusted.isOk) throw new Error('A certificate that nobody signed was trusted.');
      expect(untrusted.message).toBe(
        'The certificate of 127.0.0.1 is not trusted, or belongs to another host.',
      );
      expect(untrusted.seen?.certificate.trim()).toBe(certificate);
    }
  },
);
