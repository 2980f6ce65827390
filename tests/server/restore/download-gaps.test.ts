import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import { backgroundDownload } from '#server/features/restore/background/job.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aLibrary, type Library, openLibrary, type StoredFile } from './content.ts';

type Background = OutputOf<'getBackgroundDownload'>;
type Started = OutputOf<'downloadMailbox'>;

const folder = mkdtempSync(join(tmpdir(), 'daybook-gaps-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const CALL = 'o365/restore/background-downloads';
const makeMail = (title: string, path: readonly string[]): StoredFile => ({
  path,
  title,
  content: Buffer.from(`From: ann@example.com\r\nSubject: ${title}\r\n\r\nBody of ${title}\r\n`),
});

const request = async (who: Asker, session: string, object: string): Promise<Started> => {
  const answer = await who<Started>(
    'POST',
    `o365/restore/restoresessions/${session}/mailboxes/${object}/download`,
    { format: 'zip', downloadInBackground: true },
  );
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};
const get = async (who: Asker, id: string): Promise<Background> => {
  const answer = await who<Background>('GET', `${CALL}/${id}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};

/** Runs the job as a server does, until it is stopped. */
function run(
  { ground: { context }, office: { tenant } }: Library,
  download: string,
  signal = new AbortController().signal,
) {
  return backgroundDownload(context)({
    tenant,
    payload: { download },
    now: context.clock.now(),
    signal,
  });
}

async function readFile(library: Library, id: string, part = 1): Promise<Buffer> {
  const { text, body, status } = await library.admin<{ url: string }>(
    'GET',
    `${CALL}/${id}/file?part=${part}`,
  );
  if (status !== 200) throw new Error(text);
  return (await library.read(body.data.url)).bytes;
}

anyDatabase((kind, openStore) => {
  test(`DL-3: what a download lacks is named on its page and in a file, once, also after a kill (${kind})`, async () => {
    const library = await aLibrary(await openStore());
    const { admin, ours, ground: fixture, office } = library;
    (fixture.context.config as { downloadsDir?: string }).downloadsDir = folder;
    await library.store(ours, 1, 'mailbox', [makeMail('Whole', ['Inbox'])]);
    const session = await openLibrary(admin, ours);
    const titles = ['One', '=Two', 'Three', 'Four', 'Five'];
    await library.store(
      ours,
      2,
      'mailbox',
      titles.map((title) => makeMail(title, ['Inbox', 'Rota, 2026'])),
    );
    const change = (title: string, set: (parts: StoredPart[]) => StoredPart[]) =>
      fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
        const { parts } = await sql
          .selectFrom('item')
          .select('parts')
          .where('tenant_id', '=', tenant)
          .where('object_n', '=', 2)
          .where('title', '=', title)
          .executeTakeFirstOrThrow();
        await sql
          .updateTable('item')
          .set({ parts: JSON.stringify(set([...parts])) })
          .where('tenant_id', '=', tenant)
          .where('object_n', '=', 2)
          .where('title', '=', title)
          .execute();
      });
    await change('=Two', () => []);
    // Blobs that the repository lost.
    for (const title of ['Three', 'Five'])
      await change(title, (parts) =>
        parts.map((part) => ({ ...part, blobs: part.blobs.map(() => 'ab'.repeat(32)) })),
      );
    const { id } = await request(admin, session, 'o2');
    for (let turns = 0; (await get(admin, id)).state !== 'ready'; turns++) {
      if (turns > 50) throw new Error('It makes no progress.');
      let checks = 0;
      const signal = {
        get aborted() {
          checks += 1;
          return checks > 3 + turns;
        },
      } as AbortSignal;
      await run(library, id, signal);
    }
    const ready = await get(admin, id);
    const path = 'Inbox/Rota, 2026';
    expect([ready.missing, ready.failed]).toEqual([1, 2]);
    expect(ready.gaps.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: `${path}/=Two`, outcome: 'missing' },
      { path: `${path}/Five.eml`, outcome: 'failed' },
      { path: `${path}/Three.eml`, outcome: 'failed' },
    ]);
    expect(ready.parts.map(({ name }) => name)).toEqual([ready.name, 'Missing items.csv']);
    const bytes = await readFile(library, id, ready.parts.at(-1)?.n);
    // RFC 4180, in UTF-8 with the mark by which spreadsheets know it.
    expect(bytes.toString().split('\r\n').slice(1).toSorted()).toEqual([
      '',
      `"${path}/=Two",It has no backed-up content.`,
      `"${path}/Five.eml",It could not be read from the backup.`,
      `"${path}/Three.eml",It could not be read from the backup.`,
    ]);
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    const whole = await request(admin, session, 'o1');
    await run(library, whole.id);
    const complete = await get(admin, whole.id);
    expect([complete.gaps, complete.parts.length]).toEqual([[], 1]);
    await admin('DELETE', `${CALL}/${id}`);
    const left = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql.selectFrom('download_gap').selectAll().where('tenant_id', '=', tenant).execute(),
    );
    expect(left).toEqual([]);
  });
});
