import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import { deleteExpiredDownloads } from '#server/engine/embedded/downloads/prepare.ts';
import { neededBlobs } from '#server/engine/embedded/repositories/needed.ts';
import { deleteExpiredLinks } from '#server/features/restore/links.ts';
import { eachDatabase } from '../db/databases.ts';
import { byClock } from '../db/drafts.ts';
import { aLibrary, openLibrary, readingsIn } from './content.ts';
import { download, firstVisit, mailFile, skipped, unpack } from './downloading.ts';

/** As a database stores it. */
const stored = (text: string) => text.replaceAll('\u0000', '\ufffd');

eachDatabase((kind, openStore) => {
  test(`G65, G63, G49: a download belongs to the browser and session that requested it, while they may read this, and every answer is recorded (${kind})`, async () => {
    const library = await aLibrary(await openStore());
    const { ground: fixture, office, admin, ours, theirs, read } = library;
    const { context } = fixture;
    await library.store(ours, 31, 'mailbox', [mailFile('One'), mailFile('Two')]);
    await library.store(theirs, 32, 'mailbox', [mailFile('Canary')]);
    const session = await openLibrary(admin, ours);
    const before = (await readingsIn(library)).length;
    const make = (who = admin, from = session) =>
      download(who, from, 'mailboxes/o31/items/download', { items: ['i31.1', 'i31.2'] });
    const made = await make();
    const plain = made.url.split('?')[0] ?? '';
    expect((await read(plain)).status).toBe(404);
    expect((await read(`${plain}?ticket=x`)).status).toBe(404);
    expect((await read(made.url, { host: 'another.example' })).status).toBe(404);
    expect((await read(made.url.replace(made.id, context.chance.uuid()))).status).toBe(404);
    const { first, cookies } = await firstVisit(library, made);
    const [cookie = ''] = first.headers.getSetCookie();
    expect(cookie).toMatch(
      new RegExp(
        `^__Secure-daybook-download=[\\w-]{43}; Max-Age=\\d+; Path=/download/${made.id}/; HttpOnly; Secure; SameSite=Strict$`,
      ),
    );
    expect((await read(made.url)).status, 'the ticket is used up').toBe(404);
    expect((await read(made.url, { cookies })).status).toBe(200);
    expect((await read(plain, { cookies })).status).toBe(200);
    expect(
      (await readingsIn(library)).slice(before).map((one) => {
        const { read: what, rows, from, to } = one as Record<string, unknown>;
        return { what, rows, from, to };
      }),
    ).toEqual([
      { what: 'download-list', rows: 2, from: undefined, to: undefined },
      ...[1, 2, 3].map(() => ({ what: 'download', rows: undefined, from: 0, to: made.bytes })),
    ]);
    const late = await make();
    const foreign = await firstVisit(library, await make());
    expect((await read(late.url.split('?')[0] ?? '', { cookies: foreign.cookies })).status).toBe(
      404,
    );
    fixture.pass(61_000);
    expect((await read(late.url)).status, 'a minute').toBe(404);
    expect((await read(made.url, { cookies })).status, 'the cookie lasts').toBe(200);

    const cora = await office.as('cora', ['o365_admin'], [1]);
    const own = await openLibrary(cora, ours);
    const hers = await make(cora, own);
    const opened = await firstVisit(library, hers);
    expect(opened.first.status).toBe(200);
    for (const [path, body] of [
      ['mailboxes/o32/download', {}],
      ['mailboxes/o31/items/download', { items: ['i31.1', 'i32.1'] }],
      ['onedrives/o31/download', {}],
    ] as const)
      expect((await cora('POST', `o365/restore/restoresessions/${own}/${path}`, body)).status).toBe(
        404,
      );
    expect(
      (await cora('POST', `o365/restore/restoresessions/${session}/mailboxes/o31/download`, {}))
        .status,
    ).toBe(404);

    const scopeUser = (roles: Role[], companies: number[]) =>
      context.store.tenant(office.tenant, async (tx) => {
        const id = (await tx.all('user')).find((one) => one.companies?.length === 1)?.id ?? '';
        await tx.append(
          [
            {
              company: null,
              entity: `user:${id}`,
              event: { type: 'user.scoped@1', data: { id, roles, companies } },
            },
          ],
          { ...byClock, at: context.clock.now() },
        );
      });
    await scopeUser(['operator'], [1]);
    expect((await read(hers.url, opened)).status, 'the role').toBe(404);
    await scopeUser(['o365_admin'], [2]);
    expect((await read(hers.url, opened)).status, 'the company').toBe(404);
    await scopeUser(['o365_admin'], [1]);
    expect((await read(hers.url, opened)).status).toBe(200);
    fixture.pass(31 * 60_000);
    expect((await read(hers.url, opened)).status, 'the session').toBe(404);
  });

  test(`DL-10, G44: what isn't offered is refused with a message, and more than 5 GB need a recent sign-in (${kind})`, async () => {
    const library = await aLibrary(await openStore());
    const { ground: fixture, admin, ours } = library;
    await library.store(ours, 41, 'mailbox', [mailFile('One'), mailFile('Two')]);
    const session = await openLibrary(admin, ours);
    const at = `o365/restore/restoresessions/${session}/mailboxes/o41/download`;
    const refused = await admin('POST', at, { format: 'eml' });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('Only a single mail can be downloaded as .eml.'),
    ]);
    // An event, a contact or a task is no mail, and several mails are no single one.
    const kinds = ['event', 'contact', 'task'] as const;
    await library.store(
      ours,
      42,
      'mailbox',
      kinds.map((of) => ({ path: ['Other'], title: of, content: Buffer.from('{}'), kind: of })),
    );
    await library.store(ours, 43, 'drive', [
      { path: [], title: 'notes.txt', content: Buffer.from('notes') },
    ]);
    const drive = await openLibrary(admin, ours, 'Veod');
    const load = async (path: string, body: object): Promise<readonly [number, string]> => {
      const answer = await admin('POST', `o365/restore/restoresessions/${path}`, body);
      return [answer.status, answer.body.message ?? ''];
    };
    const mailbox = `${session}/mailboxes/o42/items/download`;
    for (const format of ['eml', 'msg', 'mbox'])
      for (const downloadInBackground of [false, true]) {
        const how = { format, downloadInBackground };
        for (const n of [1, 2, 3])
          expect([format, n, ...(await load(mailbox, { items: [`i42.${n}`], ...how }))]).toEqual([
            format,
            n,
            404,
            'There are no mails here. Choose ZIP or PST for calendars, contacts and tasks.',
          ]);
        const [status, text] = await load(`${drive}/onedrives/o43/documents/download`, {
          documents: ['i43.1'],
          ...how,
        });
        expect([status, text]).toEqual([
          409,
          'Only mailboxes can be downloaded as PST, mbox, MSG or EML files. Choose ZIP.',
        ]);
      }
    const several = await load(`${session}/mailboxes/o41/items/download`, {
      items: ['i41.1', 'i41.2'],
      format: 'eml',
      downloadInBackground: true,
    });
    expect(several).toEqual([
      409,
      expect.stringContaining('Only a single mail can be downloaded as .eml.'),
    ]);
    await fixture.context.store.tenant(library.office.tenant, ({ sql, tenant }) =>
      sql
        .updateTable('item')
        .set({
          bytes: 3_000_000_000,
          parts: JSON.stringify([
            { as: 'mime', bytes: 3_000_000_000, crc: 0, blobs: ['00'] },
          ]) as never,
        })
        .where('tenant_id', '=', tenant)
        .where('object_n', '=', 41)
        .execute(),
    );
    const large = await download(admin, session, 'mailboxes/o41/download', { format: 'zip' });
    expect(large.bytes).toBeGreaterThan(6_000_000_000);
    fixture.pass(6 * 60_000);
    const { status, body } = await admin('POST', at, {});
    expect([status, body.error.kind]).toEqual([403, 'reauth_required']);
    expect(
      (await admin('POST', at.replace('download', 'items/download'), { items: ['i41.1'] })).status,
    ).toBe(200);
  });

  test(`ENG-7: a clean-up keeps what a download holds until it expires (${kind})`, async () => {
    const library = await aLibrary(await openStore());
    const { ground: fixture, office, admin, ours } = library;
    const { store, clock } = fixture.context;
    await library.store(ours, 51, 'mailbox', [mailFile('One')]);
    const session = await openLibrary(admin, ours);
    await download(admin, session, 'mailboxes/o51/download', { format: 'zip' });
    await store.tenant(office.tenant, ({ sql, tenant }) =>
      sql.deleteFrom('item').where('tenant_id', '=', tenant).execute(),
    );
    const needed = async () => {
      const { repository } = ours;
      const blobs = neededBlobs(store, office.tenant, { repository, since: 0, now: clock.now() });
      let count = 0;
      for await (const _ of blobs) count += 1;
      return count;
    };
    const rows = () =>
      store.tenant(office.tenant, async (tx) => {
        await deleteExpiredDownloads(tx, clock.now());
        await deleteExpiredLinks(tx, clock.now());
        const counts = [];
        for (const table of ['prepared_download', 'prepared_part', 'download'] as const)
          counts.push(
            (
              await tx.sql
                .selectFrom(table)
                .selectAll()
                .where('tenant_id', '=', office.tenant)
                .execute()
            ).length,
          );
        return counts;
      });
    expect(await needed()).toBe(1);
    expect(await rows()).toEqual([1, 1, 1]);
    fixture.pass(13 * 3_600_000);
    expect(await needed()).toBe(0);
    expect(await rows()).toEqual([0, 0, 0]);
  });

  test.skipIf(skipped !== '')(
    `G66, G49: 500 files with hostile names are unpacked below their folder, each with its own bytes${skipped} (${kind})`,
    async () => {
      const library = await aLibrary(await openStore());
      const { admin, ours } = library;
      const pieces = fc.constantFrom(
        '..',
        '/',
        '\\',
        '\u0000',
        '\u202e',
        ':',
        'con',
        '.',
        ' ',
        'a',
        'A',
        'ß',
        '\n',
        '~',
        '$',
        '`',
        '"',
        '*',
        'é',
        'é',
        '.exe',
        '-',
        '%2e',
      );
      const names = fc.sample(
        fc.tuple(
          fc.array(
            fc.array(pieces, { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
            {
              maxLength: 2,
            },
          ),
          fc.array(pieces, { minLength: 1, maxLength: 5 }).map((all) => all.join('')),
        ),
        { numRuns: 500, seed: 66 },
      );
      await library.store(
        ours,
        61,
        'drive',
        names.map(([path, title], n) => ({
          path: path.map(stored),
          title: stored(title),
          content: Buffer.from(`file ${n}`),
        })),
      );
      const session = await openLibrary(admin, ours, 'Veod');
      const made = await download(admin, session, 'onedrives/o61/download');
      const { first } = await firstVisit(library, made);
      const unpacked = unpack(first.bytes, `${kind}-hostile`);
      const contents = [...unpacked.values()].map(String).toSorted();
      expect(contents).toEqual(names.map((_, n) => `file ${n}`).toSorted());
      for (const path of unpacked.keys()) {
        expect(path).not.toMatch(/[\p{Cc}\u202e\\:*?"<>|]/u);
        for (const part of path.split('/')) expect(part).not.toMatch(/^\.|[. ]$|^con$/i);
      }
      const folded = [...unpacked.keys()].map((path) => path.normalize('NFC').toLowerCase());
      expect(new Set(folded).size).toBe(folded.length);
    },
  );
});
