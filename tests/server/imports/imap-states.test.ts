import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { eachDatabase } from '../db/databases.ts';
import { type Dovecot, missing, PASSWORD, startDovecot } from './dovecot.ts';
import { must, openOffice, run } from './office.ts';

type Import = OutputOf<'getImport'>;

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

/**
 * The server, with what its clients ask. `isOld`: as one of before RFC 7162, whose clients find no
 * capability to count changes.
 */
async function startProxy(port: number, isOld: boolean) {
  const sockets = new Set<Socket>();
  const lines: string[] = [];
  const proxy = createServer((socket) => {
    const upstream = connect({ host: '127.0.0.1', port });
    sockets.add(socket).add(upstream);
    upstream.on('data', (part: Buffer) => {
      const text = part
        .toString('latin1')
        .replaceAll(/CONDSTORE|QRESYNC/g, (word) => (isOld ? 'X'.repeat(word.length) : word));
      socket.write(Buffer.from(text, 'latin1'));
    });
    socket.on('data', (part: Buffer) => {
      lines.push(...part.toString('latin1').split('\r\n'));
      upstream.write(part);
    });
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
    lines,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

/** Adds mails, with Python's own client. */
const FILL = String.raw`
def add(folder, n, flags='', more=''):
    text = f'From: Ann <ann@example.com>\r\nSubject: Mail {n}\r\nMessage-ID: <{n}@example.com>\r\n{more}\r\nText {n}\r\n'
    must(imap.append(folder, flags, '"03-Nov-2020 10:11:12 +0100"', text.encode()))
def mark(folder, uids, how, flags):
    must(imap.select(folder))
    must(imap.uid('store', uids, how, flags))
`;

const isHere = missing === '';

eachDatabase((kind, openStore) => {
  const prefix = kind.replaceAll(/\W/g, '');

  for (const isCounting of [true, false])
    test.runIf(isHere)(
      `IMP-10: what was read, flagged or answered since is taken over from a server that ${isCounting ? 'counts' : 'does not count'} changes (${kind}${missing})`,
      async () => {
        const { library, PATH } = await openOffice(await openStore());
        const { admin, ours, ground: fixture, office } = library;
        const { config } = fixture.context;
        (config as { outbound?: unknown }).outbound = { allow: ['127.0.0.0/8'], http: true };
        const user = `${prefix}-${isCounting ? 'new' : 'old'}`;
        const { run: ask, plainPort } = getDovecot();
        const proxy = await startProxy(plainPort, !isCounting);
        const server = {
          host: '127.0.0.1',
          port: proxy.port,
          security: 'none',
          username: user,
          password: PASSWORD,
          certificate: null,
        };
        async function importNow(mailbox: object): Promise<Import> {
          fixture.pass(1_000);
          const body = { repositoryId: ours.repository, server, mailbox };
          const { id } = await must(admin<{ id: string }>('POST', `${PATH}/imap`, body));
          expect(await run(library, id)).toBe(null);
          return must(admin<Import>('GET', `${PATH}/${id}`));
        }
        /** Current mails, and how many versions there are of all. */
        const look = () =>
          fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
            const rows = await sql
              .selectFrom('item')
              .select(['title', 'flags', 'to_point', 'parts'])
              .where('tenant_id', '=', tenant)
              .orderBy('n')
              .execute();
            const current = rows
              .filter((row) => row.to_point === null)
              .map(({ title, flags }) => [
                title,
                `${flags.read === true ? 'r' : ''}${flags.flagged === true ? 'f' : ''}${flags.answered === true ? 'a' : ''}`,
              ]);
            return { current: Object.fromEntries(current), versions: rows.length };
          });

        ask(
          user,
          `${FILL}
must(imap.create('Projects'))
for n in range(1, 6): add('INBOX', n, '(\\\\Seen)' if n == 1 else '')
add('Projects', 1, '(\\\\Answered \\\\Seen)')
add('Projects', 7)
# Nobody can tell these two from each other by their names.
add('Projects', 8, '', 'X-Copy: 1\\r\\n')
add('Projects', 8, '', 'X-Copy: 20\\r\\n')`,
        );
        const first = await importNow({ name: 'Zoë' });
        expect(first.counts).toMatchObject({ imported: 9 });
        const { mailboxes } = await must(admin<OutputOf<'listImports'>>('GET', PATH));
        const mailbox = { id: mailboxes[0]?.id ?? '' };
        ask(
          user,
          `${FILL}
mark('INBOX', '1', '-FLAGS', '(\\\\Seen)')
mark('INBOX', '2', '+FLAGS', '(\\\\Seen \\\\Answered)')
mark('INBOX', '3', '+FLAGS', '(\\\\Flagged)')
mark('Projects', '2', '+FLAGS', '(\\\\Seen)')
mark('Projects', '3', '+FLAGS', '(\\\\Flagged)')`,
        );
        proxy.lines.length = 0;
        const second = await importNow(mailbox);
        expect([second.result, second.counts.imported, second.counts.known]).toEqual([
          'success',
          0,
          0,
        ]);
        expect(second.message).toBe(
          'The mailbox on the server has no new mail. Emails that were read, flagged or answered since were updated.',
        );
        expect(second.pointAt).not.toBe(null);
        const judge = ask(
          user,
          `
import email
rows = []
for folder in ('INBOX', 'Projects'):
    must(imap.select(folder, readonly=True))
    for uid in must(imap.uid('search', None, 'ALL'))[0].split():
        data = must(imap.uid('fetch', uid, '(FLAGS BODY.PEEK[])'))
        flags = [f.decode() for f in imaplib.ParseFlags(data[0][0] + (data[1] if isinstance(data[1], bytes) else b''))]
        mail = email.message_from_bytes(data[0][1])
        rows.append([folder, mail['Subject'], ''.join(short for name, short in (('\\\\Seen', 'r'), ('\\\\Flagged', 'f'), ('\\\\Answered', 'a')) if name in flags)])
print(json.dumps(rows))`,
        ) as readonly (readonly [string, string, string])[];
        const found = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
          sql
            .selectFrom('item as i')
            .innerJoin('folder as f', (join) =>
              join.onRef('f.key', '=', 'i.folder_key').onRef('f.tenant_id', '=', 'i.tenant_id'),
            )
            .select(['f.name', 'i.title', 'i.flags'])
            .where('i.tenant_id', '=', tenant)
            .where('i.to_point', 'is', null)
            .execute(),
        );
        const mine = found.map(({ name, title, flags }) => [
          name === 'Inbox' ? 'INBOX' : name,
          title,
          `${flags.read === true ? 'r' : ''}${flags.flagged === true ? 'f' : ''}${flags.answered === true ? 'a' : ''}`,
        ]);
        expect(mine.map(String).toSorted()).toEqual(judge.map(String).toSorted());
        // Five mails have a version of before.
        expect((await look()).versions).toBe(9 + 5);
        expect(proxy.lines.some((line) => line.includes('CHANGEDSINCE'))).toBe(isCounting);

        // Nothing changed: no version and no restore point.
        const third = await importNow(mailbox);
        expect([third.message, third.pointAt]).toEqual([
          'The mailbox on the server has no new mail.',
          null,
        ]);
        expect((await look()).versions).toBe(9 + 5);

        // A state that was had before, with new mail in the same folder, and one that is deleted there.
        ask(
          user,
          `${FILL}
mark('INBOX', '1', '+FLAGS', '(\\\\Seen)')
add('INBOX', 9, '(\\\\Flagged)')
mark('INBOX', '5', '+FLAGS', '(\\\\Deleted)')
must(imap.expunge())`,
        );
        const fourth = await importNow(mailbox);
        expect([fourth.message, fourth.counts.imported]).toEqual([null, 1]);
        const after = await look();
        expect(after.versions).toBe(9 + 5 + 2);
        expect(after.current).toMatchObject({ 'Mail 9': 'f', 'Mail 5': '', 'Mail 2': 'ra' });

        // The server numbers a folder from the beginning: the states of known mails are taken over too.
        ask(
          user,
          `${FILL}
must(imap.delete('Projects'))
must(imap.create('Projects'))
add('Projects', 7, '(\\\\Flagged)')`,
        );
        const fifth = await importNow(mailbox);
        expect(fifth.counts).toMatchObject({ imported: 0, known: 1 });
        expect((await look()).current['Mail 7']).toBe('f');
        proxy.stop();
      },
    );
});
