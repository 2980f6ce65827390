import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import {
  deleteExpiredBackgroundDownloads,
  backgroundDownload,
} from '#server/features/restore/background/job.ts';
import { eachDatabase } from '../db/databases.ts';
import { aLibrary, openLibrary } from './content.ts';
import { mailFile } from './downloading.ts';

type Started = OutputOf<'downloadMailbox'>;
type Background = OutputOf<'getBackgroundDownload'>;

const root = mkdtempSync(join(tmpdir(), 'daybook-excluded-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

const listFiles = (of: string): string[] =>
  readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

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
});
