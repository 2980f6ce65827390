import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { findImport } from '#server/engine/embedded/imports/import-rows.ts';
import { endAbandonedImports } from '#server/engine/embedded/imports/imports.ts';
import { runImport } from '#server/engine/embedded/imports/run-import.ts';
import { countLicensedUsers } from '#server/platform/queries/licensed-users.ts';
import { INSERTION_ORDER } from '../db/insertion-order.ts';
import { eachDatabase } from '../db/databases.ts';
import { openLibrary } from '../restore/content.ts';
import { makeMail, makeZip } from './archives.ts';
import { must, openOffice, run, send, upload } from './office.ts';

type Import = OutputOf<'getImport'>;
type Imports = OutputOf<'listImports'>;
interface Page {
  readonly rows: readonly { readonly id: string; readonly name: string; readonly people: string }[];
}

const DEFECTS = [
  { name: 'Inbox/first.eml', content: makeMail(1) },
  { name: 'Inbox/Rota/second.eml', content: makeMail(2) },
  { name: 'Inbox/notes.txt', content: Buffer.from('x') },
  { name: 'Sent Items/third.eml', content: makeMail(3), crc: 7 },
  { name: 'Inbox/again.eml', content: makeMail(1) },
];

eachDatabase((kind, openStore) => {
  test(`IMP-1, IMP-2: an uploaded archive becomes a restore point that is browsed, searched and downloaded, byte for byte (${kind})`, async () => {
    const { library, downloadsDir, PATH } = await openOffice(await openStore());
    const { admin, ours, office, ground: fixture } = library;
    const archive = makeZip(DEFECTS);
    const { id } = await must(
      admin<{ id: string }>('POST', PATH, {
        repositoryId: ours.repository,
        name: 'ann.zip',
        bytes: archive.length,
        mailbox: { name: 'Ann before 2020' },
      }),
    );
    const started = await must(
      admin<OutputOf<'startImportUpload'>>('POST', `${PATH}/${id}/upload`, {}),
    );
    const half = archive.length >> 1;
    expect(await send(library, started, 0, archive.subarray(0, half))).toEqual({
      status: 200,
      received: half,
    });
    // Lost answers, and parts out of order.
    expect((await send(library, started, 0, archive.subarray(0, half))).received).toBe(half);
    expect((await send(library, started, half + 1, archive.subarray(half + 1))).received).toBe(
      half,
    );
    expect(await run(library, id)).toBe(null);
    const again = await must(
      admin<OutputOf<'startImportUpload'>>('POST', `${PATH}/${id}/upload`, {}),
    );
    expect(again.receivedBytes).toBe(half);
    expect((await send(library, started, half, archive.subarray(half))).status).toBe(404);
    expect((await send(library, again, half, archive)).status).toBe(413);
    expect((await send(library, again, half, archive.subarray(half))).received).toBe(
      archive.length,
    );
    expect((await must(admin<Import>('GET', `${PATH}/${id}`))).state).toBe('queued');
    expect(await run(library, id)).toBe(null);

    const done = await must(admin<Import>('GET', `${PATH}/${id}`));
    expect([done.state, done.result, done.counts]).toEqual([
      'done',
      'warning',
      { imported: 2, partial: 0, known: 1, skipped: 1, failed: 1 },
    ]);
    expect(done.folders.map(({ path, imported }) => [path, imported])).toEqual([
      ['Inbox', 1],
      ['Inbox/Rota', 1],
      ['Sent Items', 0],
    ]);
    const results = await must(
      admin<OutputOf<'listImportResults'>>('GET', `${PATH}/${id}/results`),
    );
    expect(results.rows.map(({ path, name, outcome }) => [path, name, outcome])).toEqual([
      ['Inbox', 'notes.txt', 'skipped'],
      ['Sent Items', 'third.eml', 'failed'],
    ]);
    expect(readdirSync(join(downloadsDir, office.tenant, 'imports'))).toEqual([]);

    const session = await openLibrary(admin, ours);
    const at = `o365/restore/restoresessions/${session}`;
    const mailboxes = await must(admin<Page>('GET', `${at}/mailboxes`));
    expect(mailboxes.rows.map(({ name }) => name)).toEqual(['Ann before 2020']);
    const mailbox = mailboxes.rows[0]?.id ?? '';
    const folders = await must(
      admin<Page>('GET', `${at}/mailboxes/${mailbox}/folders?parentId=Root`),
    );
    expect(folders.rows.map(({ name }) => name)).toEqual(['Inbox']);
    const items = await must(
      admin<Page>('GET', `${at}/mailboxes/${mailbox}/items?parentId=${folders.rows[0]?.id ?? ''}`),
    );
    expect(items.rows.map(({ name, people }) => [name, people])).toEqual([
      ['Mail 1', 'Ann, Sales <ann1@example.com>, Ben <ben@example.com>, cora@example.org'],
    ]);
    const link = await must(
      admin<{ url: string }>('POST', `${at}/mailboxes/${mailbox}/items/download`, {
        items: [items.rows[0]?.id ?? ''],
        format: 'eml',
      }),
    );
    expect((await library.read(link.url)).bytes.equals(makeMail(1))).toBe(true);

    // Imported mail is nobody's license.
    expect(
      await fixture.context.store.tenant(office.tenant, (tx) =>
        countLicensedUsers(tx, [ours.organization], [{ day: 1, since: 0, until: 2e12 }]),
      ),
    ).toEqual([]);
    const what = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('audit')
        .select('what')
        .where('tenant_id', '=', tenant)
        .where('what', 'like', 'import.%')
        .orderBy('at')
        .orderBy(INSERTION_ORDER)
        .execute(),
    );
    expect(what.map((row) => row.what)).toEqual(['import.requested', 'import.ended']);
  });

  test(`IMP-1: the same mail is imported once, and another archive adds what is new (${kind})`, async () => {
    const { library, PATH } = await openOffice(await openStore());
    const { admin, ours } = library;
    const first = await upload(library, admin, PATH, {
      name: 'mail.zip',
      bytes: makeZip([{ name: 'Inbox/1.eml', content: makeMail(1) }]),
    });
    await run(library, first);
    const { mailboxes } = await must(admin<Imports>('GET', PATH));
    expect(mailboxes.map(({ name, items }) => [name, items])).toEqual([['Ann before 2020', 1]]);
    const mailbox = { id: mailboxes[0]?.id ?? '' };
    const bytes = makeZip([
      { name: 'Inbox/another name.eml', content: makeMail(1) },
      { name: 'Inbox/2.eml', content: makeMail(2) },
    ]);
    library.ground.pass(1);
    const second = await upload(library, admin, PATH, { name: 'more.zip', bytes, mailbox });
    library.ground.pass(1);
    const third = await upload(library, admin, PATH, { name: 'more.zip', bytes, mailbox });
    await run(library, second);
    await run(library, third);
    const rows = (await must(admin<Imports>('GET', PATH))).rows.map(
      ({ id, counts, result, pointAt }) => [id, counts.imported, counts.known, result, pointAt],
    );
    expect(rows.map(([id, ...counts]) => [id, ...counts.slice(0, 3)])).toEqual([
      [third, 0, 2, 'success'],
      [second, 1, 1, 'success'],
      [first, 1, 0, 'success'],
    ]);
    expect(rows.map(([, , , , pointAt]) => pointAt === null)).toEqual([true, false, false]);
    const points = await must(
      admin<{ count: number }>(
        'GET',
        `o365/restore/restorepoints?organizationId=${ours.organization}`,
      ),
    );
    expect(points.count).toBe(2);
  });

  test(`IMP-3: an import that is killed goes on where it was, and one that is stopped keeps what it has (${kind})`, async () => {
    const { library, PATH } = await openOffice(await openStore());
    const { admin } = library;
    const bytes = makeZip(
      Array.from({ length: 480 }, (_, n) => ({ name: `Inbox/${n}.eml`, content: makeMail(n) })),
    );
    const id = await upload(library, admin, PATH, { name: 'mail.zip', bytes });
    const server = new AbortController();
    const { context } = library.ground;
    const { sessions } = context.embeddedEngine;
    // The server ends while the first batch is stored.
    const next = await runImport(
      {
        ...context,
        store: {
          ...context.store,
          async tenant(tenant, work, options) {
            const result = await context.store.tenant(tenant, work, options);
            const task = await context.store.tenant(tenant, (tx) => findImport(tx, id));
            if ((task?.next_entry ?? 0) > 0) server.abort();
            return result;
          },
        },
      },
      sessions,
    )({
      tenant: library.office.tenant,
      payload: { import: id },
      now: context.clock.now(),
      signal: server.signal,
    });
    expect(next).not.toBe(null);
    const half = await must(admin<Import>('GET', `${PATH}/${id}`));
    expect(half.state).toBe('running');
    expect(half.counts.imported).toBeGreaterThan(0);
    expect(half.counts.imported).toBeLessThan(480);
    expect(await run(library, id)).toBe(null);
    const done = await must(admin<Import>('GET', `${PATH}/${id}`));
    expect([done.result, done.counts]).toEqual([
      'success',
      { imported: 480, partial: 0, known: 0, skipped: 0, failed: 0 },
    ]);

    const other = await upload(library, admin, PATH, {
      name: 'mail.zip',
      bytes,
      mailbox: { name: 'Another' },
    });
    expect((await admin('POST', `${PATH}/${other}/stop`, {})).status).toBe(200);
    expect(await run(library, other)).toBe(null);
    expect((await must(admin<Import>('GET', `${PATH}/${other}`))).result).toBe('cancelled');
    expect((await admin('POST', `${PATH}/${other}/stop`, {})).status).toBe(409);
  });

  test(`IMP-4: nobody else finds an import or its upload, and creating one needs a recent factor (${kind})`, async () => {
    const { library, PATH } = await openOffice(await openStore());
    const { admin, ours, theirs, office, ground: fixture } = library;
    const bytes = makeZip(DEFECTS);
    const body = {
      repositoryId: ours.repository,
      name: 'ann.zip',
      bytes: bytes.length,
      mailbox: { name: 'Ann' },
    };
    const id = (await must(admin<{ id: string }>('POST', PATH, body))).id;
    const started = await must(
      admin<OutputOf<'startImportUpload'>>('POST', `${PATH}/${id}/upload`, {}),
    );
    const cora = await office.as('cora', ['o365_admin'], [2]);
    for (const path of ['', `/${id}`, `/${id}/results`])
      expect((await cora('GET', `${PATH}${path}`)).status).toBe(404);
    for (const path of ['/upload', '/stop'])
      expect((await cora('POST', `${PATH}/${id}${path}`, {})).status).toBe(404);
    expect((await cora('POST', PATH, body)).status).toBe(404);
    // The repository must be the organization's, and the mailbox the repository's.
    expect((await admin('POST', PATH, { ...body, repositoryId: theirs.repository })).status).toBe(
      404,
    );
    expect(
      (await admin('POST', PATH, { ...body, mailbox: { id: `import:${randomUUID()}` } })).status,
    ).toBe(404);
    expect((await admin('POST', PATH, { ...body, bytes: 50_000_000_001 })).status).toBe(400);
    const viewer = await office.as('viewer', ['operator']);
    expect((await viewer('GET', PATH)).status).toBe(403);
    expect((await send(library, { ...started, ticket: 'a'.repeat(43) }, 0, bytes)).status).toBe(
      404,
    );
    expect(
      (await send(library, { ...started, url: `/upload/${randomUUID()}` }, 0, bytes)).status,
    ).toBe(404);
    fixture.pass(6 * 60_000);
    expect((await admin('POST', PATH, body)).text).toContain('reauth_required');

    // Of an upload that nobody ends, nothing stays.
    expect((await send(library, started, 0, bytes.subarray(0, 10))).received).toBe(10);
    const path = join(fixture.context.config.downloadsDir ?? '', office.tenant, 'imports', id);
    expect(existsSync(path)).toBe(true);
    await fixture.context.store.tenant(office.tenant, (tx) =>
      endAbandonedImports(fixture.context)(tx, fixture.context.clock.now() + 3 * 86_400_000),
    );
    expect(existsSync(path)).toBe(false);
  });

  test(`G67: an entry that breaks its reader is lost alone (${kind})`, async () => {
    const { library, PATH } = await openOffice(await openStore());
    const { admin } = library;
    const bytes = makeZip(
      Array.from({ length: 5 }, (_, n) => ({ name: `Inbox/${n}.eml`, content: makeMail(n) })),
    );
    const id = await upload(library, admin, PATH, { name: 'mail.zip', bytes });
    await run(library, id, { script: new URL('./breaking-thread.ts', import.meta.url) });
    const done = await must(admin<Import>('GET', `${PATH}/${id}`));
    expect([done.result, done.counts.imported, done.counts.failed]).toEqual(['warning', 4, 1]);
    const { rows } = await must(
      admin<OutputOf<'listImportResults'>>('GET', `${PATH}/${id}/results`),
    );
    expect(rows.map(({ name, message }) => [name, message])).toEqual([
      ['2.eml', 'It took too long to read, or too much memory.'],
    ]);
  });
});
