import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { searchItems } from '#server/engine/embedded/explorer/search.ts';
import { migration0083 } from '#server/platform/db/migrations/0083_reread_texts.ts';
import { migration0145 } from '#server/platform/db/migrations/0145_reread_workbooks.ts';
import { eachDatabase } from '../../db/databases.ts';
import { makeZip } from '../../imports/archives.ts';
import { memoryObject } from '../memory-source.ts';
import { getValue } from '../restic/fixtures.ts';
import { makeSessionBench, type SessionBench } from '../session-bench.ts';

const mail = (words: string): string =>
  `From: Ann <ann@example.com>\r\nSubject: x\r\nContent-Type: text/plain\r\n\r\n${words}`;

async function backUp(bench: SessionBench, job: string): Promise<void> {
  bench.ground.pass(60_000);
  const session = (await bench.start(job, 'manual')) ?? '';
  for (let next = await bench.run(session); next !== null; next = await bench.run(session))
    bench.ground.pass(Math.max(1, next - bench.ground.context.clock.now()));
}

const findTitles = async ({ ground: fixture, tenant, organization }: SessionBench, text: string) =>
  getValue(
    await fixture.context.store.tenant(tenant, (tx) =>
      searchItems(
        tx,
        { tenant, organization, user: null },
        { text, workloads: ['outlook', 'onedrive'], deleted: null, cursor: null, limit: 50 },
        { now: Date.now() },
      ),
    ),
  )
    .rows.map(({ node, isInText }) => `${node.name} ${isInText}`)
    .toSorted();

const countTexts = ({ ground: fixture, tenant }: SessionBench): Promise<number> =>
  fixture.context.store.tenant(
    tenant,
    async ({ sql }) =>
      (await sql.selectFrom('item_text').select('n').where('tenant_id', '=', tenant).execute())
        .length,
  );

eachDatabase((name, open) => {
  test(`ENG-81: a job that keeps words stores those of all items, and of what changes later; others store none (${name})`, async () => {
    const mailbox = memoryObject('mailbox', 'ann');
    const drive = memoryObject('drive', 'ann');
    for (const memory of [mailbox, drive]) memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 130; n += 1) mailbox.putItem(`m${n}`, 'top', mail(`harbour number${n}`));
    drive.putItem('notes.txt', 'top', 'tide tables');
    drive.putItem('photo.jpg', 'top', 'tide tables');
    const bench = await makeSessionBench(await open(), [mailbox, drive]);
    mailbox.putItem('lost', 'top', mail('shipwreck'));
    const plain = await bench.addJob();
    await backUp(bench, plain);
    mailbox.removeItem('lost');
    await backUp(bench, plain);
    expect([await countTexts(bench), await findTitles(bench, 'harbour')]).toEqual([0, []]);

    // Turned on later: what is in the repository already is read from there.
    const job = await bench.addJob({ isFullTextEnabled: true });
    const fetched = mailbox.fetched.length;
    await backUp(bench, job);
    expect(mailbox.fetched.length).toBe(fetched);
    expect(await countTexts(bench)).toBe(132);
    expect(await findTitles(bench, 'shipwreck')).toEqual(['Item lost true']);
    expect(await findTitles(bench, 'number129 harb')).toEqual(['Item m129 true']);
    expect(await findTitles(bench, 'tide')).toEqual(['Item notes.txt true']);

    mailbox.putItem('m0', 'top', mail('lighthouse'));
    mailbox.removeItem('m1');
    await backUp(bench, job);
    expect(await findTitles(bench, 'lighthouse')).toEqual(['Item m0 true']);
    // What was before, and what is deleted now, is found at the points that had it.
    expect(await findTitles(bench, 'number0')).toEqual(['Item m0 true']);
    expect(await findTitles(bench, 'number1')).toContain('Item m1 true');

    // The job without words adds none.
    mailbox.putItem('m2', 'top', mail('beacon'));
    await backUp(bench, plain);
    expect(await findTitles(bench, 'beacon')).toEqual([]);
    await backUp(bench, job);
    expect(await findTitles(bench, 'beacon')).toEqual(['Item m2 true']);
  });

  test(`ENG-81: what was imported gets its words by the next session of a job that stores words (${name})`, async () => {
    const mailbox = memoryObject('mailbox', 'ann');
    // As an import leaves it: in the repository, and in no directory.
    const imported = memoryObject('mailbox', 'import:00000000-0000-4000-8000-000000000001');
    for (const memory of [mailbox, imported]) memory.putFolder('top', null, 'Inbox');
    mailbox.putItem('own', 'top', mail('harbour'));
    for (let n = 0; n < 120; n += 1) imported.putItem(`i${n}`, 'top', mail(`archived number${n}`));
    const bench = await makeSessionBench(await open(), [mailbox, imported]);
    await backUp(bench, await bench.addJob());
    bench.objects.splice(1, 1);
    const plain = await bench.addJob();
    await backUp(bench, plain);
    expect(await countTexts(bench)).toBe(0);
    const job = await bench.addJob({ isFullTextEnabled: true });
    await backUp(bench, job);
    expect(await countTexts(bench)).toBe(121);
    expect(await findTitles(bench, 'archived number119')).toEqual(['Item i119 true']);
    await backUp(bench, job);
    expect(await countTexts(bench)).toBe(121);
  });

  test(`ENG-81: after an update, what had no words and PDFs that were read backwards get theirs (${name})`, async () => {
    const drive = memoryObject('drive', 'ann');
    drive.putFolder('top', null, 'Files');
    const page = '<p>\u05e9\u05dc\u05d5\u05dd harbour</p>';
    for (const title of ['old.doc', 'kept.html', 'hebrew.pdf']) drive.putItem(title, 'top', page);
    const store = await open();
    const bench = await makeSessionBench(store, [drive]);
    const job = await bench.addJob({ isFullTextEnabled: true });
    await backUp(bench, job);
    // As an earlier version left it: it read no older documents, and PDFs backwards.
    await bench.ground.context.store.tenant(bench.tenant, async ({ sql: db }) => {
      for (const statement of [
        "delete from item_text using item as i where i.n = item_text.n and i.title like '%old.doc'",
        "update item_text set text = 'unread' from item as i where i.n = item_text.n and i.title like '%kept.html'",
        "insert into item_text (tenant_id, object_n, n, text) select tenant_id, object_n, n, 'backwards \u05dd\u05d5\u05dc\u05e9' from item where title like '%.pdf'",
      ])
        await sql.raw(statement).execute(db);
    });
    await store.system(async (db) => {
      await sql`reset role`.execute(db);
      for (const statement of migration0083.statements) await sql.raw(statement).execute(db);
    });
    await backUp(bench, job);
    expect(await findTitles(bench, 'harbour')).toEqual(['Item old.doc true']);
    expect(await findTitles(bench, 'unread')).toEqual(['Item kept.html true']);
    expect(await findTitles(bench, 'backwards')).toEqual([]);
  });

  test(`ENG-81: after an update, workbooks get the words of their cells, also those attached to mails (${name})`, async () => {
    const workbook = makeZip([
      {
        name: 'xl/worksheets/sheet1.xml',
        content: Buffer.from('<row><c><v>4711</v></c></row>'),
      },
    ]);
    const mailbox = memoryObject('mailbox', 'ann');
    const drive = memoryObject('drive', 'ann');
    for (const memory of [mailbox, drive]) memory.putFolder('top', null, 'Top');
    const withFile = `From: Ann <ann@example.com>\r\nSubject: x\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="sum.xlsx"\r\nContent-Transfer-Encoding: base64\r\n\r\n${workbook.toString('base64')}`;
    mailbox.putItem('sent', 'top', withFile);
    mailbox.putItem('plain', 'top', mail('tide'));
    drive.putItem('Sum.XLSX', 'top', 'no workbook');
    const store = await open();
    const bench = await makeSessionBench(store, [mailbox, drive]);
    const job = await bench.addJob({ isFullTextEnabled: true });
    await backUp(bench, job);
    expect(await findTitles(bench, '4711')).toEqual(['Item sent true']);
    // As an earlier version left it: it read only the texts of cells.
    await bench.ground.context.store.tenant(bench.tenant, async ({ sql: db }) => {
      for (const statement of [
        `update item set flags = '{"attachments": 1}' where title like '%sent'`,
        "update item_text set text = case when text like '%tide%' then 'unread' else replace(text, ' 4711', '') end",
        "insert into item_text (tenant_id, object_n, n, text) select tenant_id, object_n, n, 'unread' from item where title like '%XLSX'",
      ])
        await sql.raw(statement).execute(db);
    });
    expect(await findTitles(bench, '4711')).toEqual([]);
    expect(await findTitles(bench, 'unread')).toEqual(['Item Sum.XLSX true', 'Item plain true']);
    await store.system(async (db) => {
      await sql`reset role`.execute(db);
      for (const statement of migration0145.statements) await sql.raw(statement).execute(db);
    });
    await backUp(bench, job);
    expect(await findTitles(bench, '4711')).toEqual(['Item sent true']);
    expect(await findTitles(bench, 'unread')).toEqual(['Item plain true']);
  });

  test(`ENG-81: an item whose text can't be read costs neither the others nor the restore point (${name})`, async () => {
    const mailbox = memoryObject('mailbox', 'ann');
    mailbox.putFolder('top', null, 'Inbox');
    mailbox.putItem('good', 'top', mail('harbour'));
    mailbox.putItem('empty', 'top', '');
    const drive = memoryObject('drive', 'ann');
    drive.putFolder('top', null, 'Files');
    drive.putItem('broken.docx', 'top', 'PK\u0003\u0004 is no archive');
    const bench = await makeSessionBench(await open(), [mailbox, drive]);
    const job = await bench.addJob({ isFullTextEnabled: true });
    await backUp(bench, job);
    expect((await bench.job(job)).recent[0]).toMatchObject({ result: 'success' });
    expect(await findTitles(bench, 'harbour')).toEqual(['Item good true']);
    expect(await findTitles(bench, 'broken')).toEqual(['Item broken.docx false']);
  });
});
