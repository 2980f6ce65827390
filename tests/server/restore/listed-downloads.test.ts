import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { backgroundDownload } from '#server/features/restore/background/job.ts';
import {
  expirePoints,
  isInUse,
  removeObjectPoints,
  removeVersions,
} from '#server/engine/embedded/repositories/expired.ts';
import { anyDatabase } from '../db/databases.ts';
import { aLibrary, openLibrary } from './content.ts';
import { mailFile, skipped, unpack } from './downloading.ts';

type Background = OutputOf<'getBackgroundDownload'>;
type Started = OutputOf<'downloadMailbox'>;

const folder = mkdtempSync(join(tmpdir(), 'daybook-listed-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const TITLES = Array.from({ length: 1_200 }, (_, n) => `Mail ${n}`);
const CALL = 'o365/restore/background-downloads';

/** A mailbox whose download is requested, and not begun. */
async function openRequested(store: Parameters<typeof aLibrary>[0]) {
  const library = await aLibrary(store);
  const { admin, ours, office, ground: fixture } = library;
  const { context } = fixture;
  (context.config as { downloadsDir?: string }).downloadsDir = mkdtempSync(join(folder, 'files-'));
  await library.store(
    ours,
    1,
    'mailbox',
    TITLES.map((title) => mailFile(title)),
  );
  const session = await openLibrary(admin, ours);
  const path = `o365/restore/restoresessions/${session}`;
  const request = () =>
    admin<Started>('POST', `${path}/mailboxes/o1/download`, {
      format: 'zip',
      downloadInBackground: true,
    });
  const get = async (id: string): Promise<Background> =>
    (await admin<Background>('GET', `${CALL}/${id}`)).body.data;
  /** Runs the job as a server does that stops at the given look at its signal. */
  const run = (download: string, { stopAt = Infinity, maxPartItems = 1_000_000 } = {}) => {
    let looks = 0;
    const signal = {
      get aborted() {
        looks += 1;
        return looks >= stopAt;
      },
    } as AbortSignal;
    return backgroundDownload(
      context,
      1e10,
      maxPartItems,
    )({ tenant: office.tenant, payload: { download }, now: context.clock.now(), signal });
  };
  const count = (table: 'prepared_part' | 'prepared_download') =>
    context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      const rows = await sql
        .selectFrom(table)
        .selectAll()
        .where('tenant_id', '=', tenant)
        .execute();
      return rows.length;
    });
  const change = (values: { readonly parts?: string; readonly bytes?: number }) =>
    context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .updateTable('item')
        .set(values as never)
        .where('tenant_id', '=', tenant)
        .where('object_n', '=', 1)
        .execute(),
    );
  return { library, context, path, request, get, run, count, change };
}

anyDatabase((kind, openStore) => {
  test.skipIf(skipped !== '')(
    `DL-3: a download in the background is listed by its job, also after its session and a kill, in parts of limited items${skipped} (${kind})`,
    async () => {
      const { library, path, request, get, run, count } = await openRequested(await openStore());
      const { admin } = library;
      const { data: started } = (await request()).body;
      expect(await count('prepared_part')).toBe(0);
      const queued = await get(started.id);
      expect(queued).toMatchObject({ isListed: false, isExact: false, items: { total: 1_200 } });
      // Both answers have the same estimate.
      expect([started.items, started.bytes]).toEqual([queued.items.total, queued.bytes.total]);
      expect((await admin('POST', `${path}/stop`, {})).status).toBe(200);
      // Stopped after the first of three batches.
      expect(await run(started.id, { stopAt: 2 })).not.toBeNull();
      expect(await count('prepared_part')).toBe(2);
      expect(await get(started.id)).toMatchObject({ state: 'running', isListed: false });
      expect(await run(started.id, { maxPartItems: 500 })).toBeNull();
      const ready = await get(started.id);
      expect(ready).toMatchObject({ state: 'ready', isListed: true, isExact: true, failed: 0 });
      expect(ready.items).toEqual({ done: 1_200, total: 1_200 });
      expect(ready.parts).toHaveLength(3);
      const found: string[] = [];
      for (const { n } of ready.parts) {
        const { body } = await admin<{ url: string }>(
          'GET',
          `${CALL}/${started.id}/file?part=${n}`,
        );
        const { bytes } = await library.read(body.data.url);
        const files = [...unpack(bytes, `${kind}-listed-${n}`).keys()];
        expect(files.length).toBeLessThanOrEqual(500);
        found.push(...files);
      }
      expect(found.sort()).toEqual(TITLES.map((title) => `Inbox/${title}.eml`).sort());
    },
  );

  test(`DL-10, G44: a list that is larger than its estimate ends the download, and a canceled one leaves nothing to list (${kind})`, async () => {
    const { library, request, get, run, count, change } = await openRequested(await openStore());
    const parts = [{ as: 'mime', bytes: 5_000_000, crc: 0, blobs: ['00'] }];
    library.ground.pass(6 * 60_000);
    await change({ bytes: 5_000_000 });
    const refused = await request();
    expect([refused.status, (refused.body as { error?: { kind: string } }).error?.kind]).toEqual([
      403,
      'reauth_required',
    ]);
    expect(await count('prepared_download')).toBe(0);
    await change({ bytes: 4_000_000, parts: JSON.stringify(parts) });
    const { data: large } = (await request()).body;
    expect(await run(large.id)).toBeNull();
    expect(await get(large.id)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('larger than 5 GB'),
    });
    expect(await count('prepared_part')).toBe(0);
    const { data: canceled } = (await request()).body;
    expect(await count('prepared_download')).toBe(1);
    await library.admin('POST', `${CALL}/${canceled.id}`, { action: 'cancel' });
    expect(await run(canceled.id)).toBeNull();
    expect(await count('prepared_download')).toBe(0);
  });

  test(`ENG-48: a download has what was chosen from an earlier point, although a clean-up runs before it is listed (${kind})`, async () => {
    const { library, context, path, get, run } = await openRequested(await openStore());
    const { office, ours, admin } = library;
    const { repository } = ours;
    const files = [mailFile('Deleted later'), mailFile('There')];
    const stored = [mailFile('There too'), ...files];
    await library.store(ours, 2, 'mailbox', stored, stored.slice(0, 1));
    const { body, text } = await admin<Started>('POST', `${path}/mailboxes/o2/items/download`, {
      items: ['i2.2', 'i2.3'],
      format: 'zip',
      downloadInBackground: true,
    });
    expect(text).toContain('"success":true');
    const points = await context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .updateTable('restore_point')
        .set({ snapshot: 'aa' })
        .where('tenant_id', '=', tenant)
        .returning(['id', 'at'])
        .execute(),
    );
    const since = Math.max(...points.map(({ at }) => at));
    const now = context.clock.now();
    await context.store.tenant(office.tenant, async (tx) => {
      const { points: expired } = await expirePoints(tx, { repository, since, now, onHold: [] });
      await removeObjectPoints(tx, 2, { since, points: expired });
      await removeVersions(tx, 2, since);
    });
    await run(body.data.id);
    expect(await get(body.data.id)).toMatchObject({ items: { total: 2 } });
  });

  test(`ENG-48: a restore point stays until what a download takes from it is listed (${kind})`, async () => {
    const { library, context, path, request, run } = await openRequested(await openStore());
    const { office, ours, admin } = library;
    const { repository } = ours;
    const now = context.clock.now();
    const look = () =>
      context.store.tenant(office.tenant, async (tx) => ({
        isUsed: await isInUse(tx, repository, now),
        expired: (await expirePoints(tx, { repository, since: 4e12, now, onHold: [] })).points
          .length,
      }));
    const { data } = (await request()).body;
    await admin('POST', `${path}/stop`, {});
    await context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .updateTable('restore_point')
        .set({ snapshot: 'aa' })
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect(await look()).toEqual({ isUsed: true, expired: 0 });
    expect(await run(data.id)).toBeNull();
    expect(await look()).toEqual({ isUsed: false, expired: 1 });
  });
});
