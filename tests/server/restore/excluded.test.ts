import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { withdrawDownloads } from '#server/engine/embedded/downloads/withdraw.ts';
import {
  deleteExpiredBackgroundDownloads,
  backgroundDownload,
} from '#server/features/restore/background/job.ts';
import type { Clock } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { CITUS, eachDatabase } from '../db/databases.ts';
import { randomBytes } from '../engine/restic/fixtures.ts';
import { aLibrary, cookiesIn, openLibrary } from './content.ts';
import { download, mailFile } from './downloading.ts';

const SOCKET = { incoming: { socket: { remoteAddress: '192.0.2.7' } } };
type Started = OutputOf<'downloadMailbox'>;
type Background = OutputOf<'getBackgroundDownload'>;

const root = mkdtempSync(join(tmpdir(), 'daybook-excluded-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

const listFiles = (of: string): string[] =>
  readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** Whether another transaction waits for this one. */
const isAwaited = async ({ sql: db }: TenantTx): Promise<boolean> =>
  (
    await (
      CITUS === ''
        ? sql`select from pg_locks as l where not l.granted and pg_backend_pid() = any(pg_blocking_pids(l.pid))`
        : sql`select from citus_lock_waits where blocking_gpid = citus_backend_gpid()`
    ).execute(db)
  ).rows.length > 0;

eachDatabase((kind, open) => {
  test(`ENG-122: nothing of a person is browsed, found, read or downloaded from the moment of the exclusion on, in open sessions and with old links, too (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours, office, ground: fixture } = library;
    const { context } = fixture;
    const folder = mkdtempSync(join(root, 'files-'));
    (context.config as { downloadsDir?: string }).downloadsDir = folder;
    const titles = ['A mast', 'A sail'];
    const mails = await library.store(
      ours,
      1,
      'mailbox',
      titles.map((title) => mailFile(title)),
    );
    await library.store(ours, 2, 'mailbox', [mailFile('A hull')]);
    const session = await openLibrary(admin, ours);
    const path = `o365/restore/restoresessions/${session}`;
    const prepare = (object: string, downloadInBackground: boolean) =>
      admin<Started>('POST', `${path}/mailboxes/${object}/download`, {
        format: 'zip',
        downloadInBackground,
      });
    const run = (download: string) =>
      backgroundDownload(context)({
        tenant: office.tenant,
        payload: { download },
        now: context.clock.now(),
        signal: new AbortController().signal,
      });
    const get = async (id: string) =>
      (await admin<Background>('GET', `o365/restore/background-downloads/${id}`)).body.data;
    const [direct, other, ready, unlisted] = [
      (await prepare('o1', false)).body.data,
      (await prepare('o2', false)).body.data,
      (await prepare('o1', true)).body.data,
      (await prepare('o1', true)).body.data,
    ];
    await run(ready.id);
    expect((await get(ready.id)).state).toBe('ready');
    const file = await admin<{ url: string }>(
      'GET',
      `o365/restore/background-downloads/${ready.id}/file?part=1`,
    );
    const node = mails.get('A mast') ?? '';
    const read = async () => [
      (await admin('GET', `${path}/mailboxes/o1/folders`)).status,
      (await library.read(direct.url ?? '')).status,
      (await library.read(file.body.data.url)).status,
    ];
    expect(node).not.toBe('');
    expect(await read()).toEqual([200, 200, 200]);
    const { directory } = await context.store.tenant(office.tenant, async ({ sql }) => {
      const [row] = await sql
        .selectFrom('backup_object')
        .select('directory_id as directory')
        .where('tenant_id', '=', office.tenant)
        .where('n', '=', 1)
        .execute();
      return row ?? { directory: '' };
    });
    const excluded = await admin<{ id: string }>(
      'POST',
      `o365/organizations/${ours.organization}/exclusions`,
      { objectId: directory, reason: 'A request' },
    );
    expect(excluded.status).toBe(200);
    const expectGone = async () => {
      const [folders = 0, ...links] = await read();
      expect(folders).toBe(404);
      for (const status of links) expect(status).toBeGreaterThanOrEqual(400);
      expect((await prepare('o1', false)).status).toBe(404);
      const text = JSON.stringify((await admin('GET', `${path}/mailboxes`)).body);
      expect(text).toContain('"o2"');
      expect(text).not.toContain('"o1"');
    };
    await expectGone();
    // Others' downloads stay.
    expect((await library.read(other.url ?? '')).status).toBe(200);
    await run(unlisted.id);
    for (const { id } of [ready, unlisted])
      expect((await admin('GET', `o365/restore/background-downloads/${id}`)).status).toBe(404);
    expect(listFiles(folder)).not.toEqual([]);
    // It doesn't come back.
    const end = `o365/organizations/${ours.organization}/exclusions/${excluded.body.data.id}/end`;
    expect((await admin('POST', end, { reason: 'Revoked' })).status).toBe(200);
    await expectGone();
    await context.store.tenant(office.tenant, (tx) =>
      deleteExpiredBackgroundDownloads(context)(tx, context.clock.now()),
    );
    const left = await context.store.tenant(office.tenant, ({ sql }) =>
      sql
        .selectFrom('background_download')
        .select('id')
        .where('tenant_id', '=', office.tenant)
        .execute(),
    );
    expect(left).toEqual([]);
    expect(listFiles(folder)).toEqual([]);
  });

  test(`ENG-122, DL-11: a download that is being sent by another server ends within 15 seconds after its person is excluded, and says why when it is continued (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours, office, ground: fixture } = library;
    const { context } = fixture;
    const film = randomBytes(7, 5_000_000);
    await library.store(ours, 1, 'drive', [{ path: [], title: 'film.mp4', content: film }]);
    await library.store(ours, 2, 'drive', [{ path: [], title: 'film.mp4', content: film }]);
    const session = await openLibrary(admin, ours, 'Veod');
    const timers: { readonly ms: number; readonly work: () => void }[] = [];
    (context.clock as { after: Clock['after'] }).after = (ms, work) => {
      timers.push({ ms, work });
      return { cancel: () => {} };
    };
    const other = library.anotherServer();
    const start = async (object: string) => {
      const { url } = await download(admin, session, `onedrives/${object}/download`);
      const answer = await other.request(url, { headers: { host: office.host } }, SOCKET);
      expect(answer.status).toBe(200);
      const reader = answer.body?.getReader();
      if (reader === undefined) throw new Error('no body');
      const first = await reader.read();
      const read = async (): Promise<number> => {
        let bytes = first.value?.byteLength ?? 0;
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return bytes;
          bytes += value.byteLength;
        }
      };
      return {
        read,
        url,
        cookies: cookiesIn(answer),
        length: Number(answer.headers.get('content-length')),
      };
    };
    const [theirs, others] = [await start('o1'), await start('o2')];
    const checks = timers.filter(({ ms }) => ms === 15_000);
    expect(checks).toHaveLength(2);
    const { status } = await admin('POST', `o365/organizations/${ours.organization}/exclusions`, {
      objectId: 'user-1',
      reason: 'A request',
    });
    expect(status).toBe(200);
    for (const { work } of checks) work();
    await expect.poll(() => fixture.lines.some((line) => line.includes('ended early'))).toBe(true);
    await expect(theirs.read()).rejects.toThrow('The session has ended.');
    expect(await others.read()).toBe(others.length);
    const again = await library.read(theirs.url, {
      cookies: theirs.cookies,
      headers: { range: 'bytes=1000-' },
      app: other,
    });
    expect([again.status, again.bytes.toString()]).toEqual([
      404,
      'It had data of a person who is excluded from backups on request.\n',
    ]);
  });

  test(`ENG-122: a download that begins at the moment of the exclusion is not made (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours, office, ground: fixture } = library;
    const { context } = fixture;
    (context.config as { downloadsDir?: string }).downloadsDir = mkdtempSync(join(root, 'files-'));
    await library.store(ours, 1, 'mailbox', [mailFile('A mast')]);
    const session = await openLibrary(admin, ours);
    const requested = await admin<Started>(
      'POST',
      `o365/restore/restoresessions/${session}/mailboxes/o1/download`,
      { format: 'zip', downloadInBackground: true },
    );
    const { tenant } = office;
    const begun = Promise.withResolvers<undefined>();
    const withdrawn = context.store.tenant(tenant, async (tx) => {
      await withdrawDownloads(tx, [1]);
      begun.resolve(undefined);
      // The embedded database has one transaction at a time.
      if (kind === 'postgres') while (!(await isAwaited(tx))) await sleep(10);
    });
    await begun.promise;
    await backgroundDownload(context)({
      tenant,
      payload: { download: requested.body.data.id },
      now: context.clock.now(),
      signal: new AbortController().signal,
    });
    await withdrawn;
    const rows = await context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('background_download')
        .select(['state', 'expires_at'])
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect(rows).toEqual([{ state: 'failed', expires_at: 0 }]);
  });
});
