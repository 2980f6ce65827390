import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { readInThread } from '#server/engine/embedded/imports/archive-thread-reader.ts';
import { readBatches } from '#server/engine/embedded/imports/read-batches.ts';
import { systemClock } from '#server/platform/clock.ts';
import { eachDatabase } from '../db/databases.ts';
import { PROOF } from '../engine/restic/fixtures.ts';
import { noPython } from './archives.ts';
import { must, openOffice, run, upload } from './office.ts';

type Import = OutputOf<'getImport'>;
const MB = 1 << 20;

const folder = mkdtempSync(join(tmpdir(), 'daybook-large-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Another program writes the archives, and says what is in them. Returns hashes by name. */
function writeZip(path: string, program: string): Readonly<Record<string, string>> {
  const text = `
import hashlib, json, random, sys, zipfile
sums = {}
def add(archive, name, megabytes, how=zipfile.ZIP_DEFLATED, seed=None):
    sum = hashlib.sha256()
    info = zipfile.ZipInfo(name, (2021, 2, 3, 4, 5, 6))
    info.compress_type = how
    noise = random.Random(seed)
    with archive.open(info, 'w', force_zip64=True) as out:
        for n in range(megabytes):
            part = noise.randbytes(1 << 20) if seed is not None else (b'%08d ' % n) * 116508 + b'1234'
            assert len(part) == 1 << 20, len(part)
            sum.update(part)
            out.write(part)
        out.write(b'end')
        sum.update(b'end')
    sums[name] = sum.hexdigest()
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
${program.replaceAll(/^/gm, '    ')}
print(json.dumps(sums))`;
  const { stdout, stderr, status } = spawnSync('python3', ['-c', text, path]);
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString()) as Record<string, string>;
}

/** Changes one byte of an archive. */
function damage(path: string, at: number): void {
  const file = openSync(path, 'r+');
  const byte = readFileSync(path)[at] ?? 0;
  writeSync(file, Buffer.from([byte ^ 0xff]), 0, 1, at);
}

const readZip = (path: string, signal = new AbortController().signal) =>
  readInThread(
    { clock: systemClock },
    { path, stem: 'Share', skippedEntries: 0, content: 'files' },
    signal,
  );

/** Reads an archive as an import does. Returns the hashes of what was saved, and what was left out. */
async function importZip(
  path: string,
  signal?: AbortSignal,
  onPart?: (bytes: number) => void,
  retainedSince: number | null = null,
) {
  const saved: Record<string, unknown> = {};
  const left: Record<string, string> = {};
  let next = 0;
  let sum = '';
  const batches = readBatches(readZip(path, signal), {
    now: 0,
    firstEntry: 0,
    firstBytes: 0,
    retainedSince,
    async save({ as, content }) {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const part of content instanceof Uint8Array ? [content] : content) {
        hash.update(part);
        bytes += part.length;
        onPart?.(part.length);
      }
      sum = hash.digest('hex');
      return { ok: true, value: { as, bytes, crc: 0, blobs: [] } };
    },
  });
  for await (const read of batches) {
    if (!read.ok) throw new Error(read.error.message);
    const { batch } = read.value;
    for (const { item } of batch.items) {
      saved[item.title] = item.flags.hash?.replace('sha256:', '');
      if (batch.items.length === 1) expect(sum).toBe(saved[item.title]);
    }
    for (const { name, message } of batch.left) left[name] = message;
    next = batch.nextEntry;
  }
  return { saved, left, next };
}

test.skipIf(noPython !== '')(
  `IMP-8: a file of any size is read in parts of a few megabytes, and is what the archive has${noPython}`,
  async () => {
    const path = join(folder, 'large.zip');
    const megabytes = PROOF > 1 ? 5_000 : 320;
    const sums = writeZip(
      path,
      `add(archive, 'small.txt', 1)
add(archive, 'large.bin', ${megabytes})
add(archive, 'stored.bin', 40, zipfile.ZIP_STORED, seed=7)`,
    );
    let largest = 0;
    let peak = 0;
    const { saved, left } = await importZip(path, undefined, (bytes) => {
      if (bytes > 2 * MB) largest = Math.max(largest, bytes);
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    });
    expect([saved, left]).toEqual([sums, {}]);
    expect(largest).toBeLessThanOrEqual(4 * MB);
    expect(peak).toBeLessThan(160 * MB);
  },
);

test.skipIf(noPython !== '')(
  `IMP-8, G67: a damaged large file is left out alone, and one that was being read is read again later${noPython}`,
  async () => {
    const path = join(folder, 'whole.zip');
    const sums = writeZip(
      path,
      `add(archive, 'a.bin', 40, zipfile.ZIP_STORED, seed=1)
add(archive, 'b.bin', 40, seed=2)
add(archive, 'c.txt', 1)`,
    );
    // In the middle of the stored one, and of the compressed one.
    const broken = join(folder, 'broken.zip');
    copyFileSync(path, broken);
    damage(broken, 20 * MB);
    damage(broken, 60 * MB);
    const { saved, left, next } = await importZip(broken);
    expect([Object.keys(saved), Object.keys(left), next]).toEqual([
      ['c.txt'],
      ['a.bin', 'b.bin'],
      3,
    ]);
    expect(new Set(Object.values(left)).size).toBe(1);

    const stop = new AbortController();
    let bytes = 0;
    const stopped = await importZip(path, stop.signal, (part) => {
      bytes += part;
      if (bytes > 50 * MB) stop.abort();
    });
    expect([Object.keys(stopped.saved), stopped.left, stopped.next]).toEqual([['a.bin'], {}, 1]);
    expect((await importZip(path)).saved).toEqual(sums);

    // Retention: they are from February 2021.
    const old = await importZip(path, undefined, undefined, Date.UTC(2021, 2, 1));
    expect([old.saved, Object.keys(old.left), old.next]).toEqual([{}, Object.keys(sums), 3]);
  },
);

eachDatabase((kind, openStore) => {
  test.skipIf(noPython !== '')(
    `IMP-8: a large file becomes a file of the drive, once (${kind}${noPython})`,
    async () => {
      const path = join(folder, `${kind.replaceAll(/\W/g, '')}.zip`);
      const sums = writeZip(
        path,
        "add(archive, 'Plans/large.bin', 48)\nadd(archive, 'small.txt', 1)",
      );
      const { library, PATH } = await openOffice(await openStore());
      const { admin, ground: fixture, office } = library;
      const archive = { name: 'Share.zip', bytes: readFileSync(path), content: 'files' as const };
      const id = await upload(library, admin, PATH, { ...archive, mailbox: { name: 'Old share' } });
      expect(await run(library, id)).toBe(null);
      const done = await must(admin<Import>('GET', `${PATH}/${id}`));
      expect([done.result, done.counts]).toEqual([
        'success',
        { imported: 2, partial: 0, known: 0, skipped: 0, failed: 0 },
      ]);
      const items = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .selectFrom('item')
          .select(['title', 'bytes', 'flags', 'changed_at'])
          .where('tenant_id', '=', tenant)
          .orderBy('n')
          .execute(),
      );
      expect(items.map(({ title, bytes, flags }) => [title, bytes, flags.hash])).toEqual([
        ['large.bin', 48 * MB + 3, `sha256:${sums['Plans/large.bin']}`],
        ['small.txt', MB + 3, `sha256:${sums['small.txt']}`],
      ]);
      expect(items[0]?.changed_at).toBe(Date.UTC(2021, 1, 3, 4, 5, 6));

      fixture.pass(1_000);
      const { mailboxes } = await must(admin<OutputOf<'listImports'>>('GET', PATH));
      const mailbox = { id: mailboxes[0]?.id ?? '' };
      const again = await upload(library, admin, PATH, { ...archive, mailbox });
      await run(library, again);
      const same = await must(admin<Import>('GET', `${PATH}/${again}`));
      expect([same.counts, same.pointAt]).toEqual([
        { imported: 0, partial: 0, known: 2, skipped: 0, failed: 0 },
        null,
      ]);
    },
  );
});
