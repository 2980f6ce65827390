import { crc32 } from 'node:zlib';
import { readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeIndex } from '#server/engine/embedded/restic/index-file.ts';
import { openKey } from '#server/engine/embedded/restic/keys.ts';
import type { PackEntry } from '#server/engine/embedded/restic/pack.ts';
import { openRepository } from '#server/engine/embedded/restic/repository.ts';
import { makeSealer } from '#server/engine/embedded/restic/seal.ts';
import { writeDocument } from '#server/engine/embedded/restic/unpacked.ts';
import { systemChance } from '#server/platform/random.ts';
import {
  collect,
  type Files,
  getKind,
  makeMemoryRepository,
  makeMemoryTarget,
  makeRepository,
  openAt,
  PASSWORD,
  pruneAt,
  PROOF,
  randomBytes,
  readFiles,
  sameFiles,
  saveFiles,
  getStream,
  tools,
  getValue,
} from './fixtures.ts';
import { expectNoErrors } from './restic-reader.ts';

const FILES: Files = {
  'inbox/one.eml': Buffer.from('first mail '.repeat(200)),
  'inbox/two.eml': randomBytes(1, 3_000),
  'drive/large.bin': randomBytes(2, 1_500_000),
};
const packBytes = 700_000;

async function makeFilled() {
  const { folder, target } = await makeRepository();
  const repository = await openAt(target, { packBytes });
  const snapshot = await saveFiles(repository, FILES);
  await repository.close();
  return { folder, target, snapshot };
}

const getFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('ENG-8: a changed bit anywhere in a repository is an error, never other content', async () => {
  const { files, target } = await makeMemoryRepository();
  const repository = await openAt(target, { packBytes: 20_000 });
  const mails = { ...FILES, 'drive/large.bin': randomBytes(2, 30_000) };
  const snapshot = await saveFiles(repository, mails);
  await repository.close();
  let errors = 0;
  for (const [path, original] of files)
    for (let round = 0; round < 8 * PROOF; round += 1) {
      const at = Math.floor(((round + 0.5) / (8 * PROOF)) * original.length);
      const changed = Buffer.from(original);
      changed[at] = (changed[at] ?? 0) ^ (1 << (round & 7));
      const damaged = makeMemoryTarget(new Map(files).set(path, changed));
      const opened = await openRepository(damaged, { ...tools(), lock: 'none' });
      if (!opened.ok) {
        expect(['damaged', 'refused']).toContain(opened.error.kind);
        errors += 1;
        continue;
      }
      // What can be read is right; what can't is an error.
      const read = await readFiles(opened.value, snapshot).catch((error: unknown) => error);
      if (read instanceof Error) expect(read.message).toMatch(/damaged/);
      else expect(sameFiles(read as Files, mails)).toEqual([]);
      if (read instanceof Error) errors += 1;
      // A key file says when and by whom it was made, which nothing depends on.
      if (!path.startsWith('keys/'))
        expect(getValue(await opened.value.check({ readData: true })).problems).not.toEqual([]);
    }
  expect(errors).toBeGreaterThan(20);
});

test('ENG-8: a check names the damaged blobs, their packs, and the files that are lost', async () => {
  const { folder, target, snapshot } = await makeFilled();
  const repository = await openAt(target, { lock: 'none' });
  expect(getValue(await repository.check({ readData: true }))).toMatchObject({
    problems: [],
    files: [],
  });
  const largest =
    getFiles(join(folder, 'data')).toSorted((a, b) => statSync(b).size - statSync(a).size)[0] ?? '';
  const bytes = readFileSync(largest);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(largest, bytes);
  const pack = largest.slice(-64);
  const report = getValue(await repository.check({ readData: true }));
  expect(report.problems).toContainEqual({ kind: 'pack', id: pack, pack });
  expect(report.problems.filter(({ kind }) => kind === 'blob')).toEqual([
    { kind: 'blob', id: expect.stringMatching(/^[0-9a-f]{64}$/), pack },
  ]);
  expect(report.files).toEqual([{ snapshot, path: '/drive/large.bin' }]);
  // without reading the data, only what is missing is found
  expect(getValue(await repository.check({ readData: false })).problems).toEqual([]);
  unlinkSync(largest);
  const second = getValue(await repository.check({ readData: false }));
  expect(second.problems).toContainEqual({ kind: 'pack', id: pack, pack });
  expect(second.files).toEqual([{ snapshot, path: '/drive/large.bin' }]);
});

test('ENG-8: an unreadable index is rebuilt from the packs, and replaced', async () => {
  const { folder, target, snapshot } = await makeFilled();
  const [path = ''] = getFiles(join(folder, 'index'));
  writeFileSync(path, 'no index');
  const damaged = { kind: 'index', id: path.slice(-64), pack: null };
  const repository = await openAt(target);
  expect(sameFiles(await readFiles(repository, snapshot), FILES)).toEqual([]);
  expect(getValue(await repository.check({ readData: true }))).toMatchObject({
    problems: [damaged],
    files: [],
  });
  // what is there is not stored again, and the next flush lists it
  expect(
    getValue(await repository.saveBlob('data', FILES['inbox/two.eml'] ?? Buffer.of())).newBytes,
  ).toBe(0);
  getValue(await repository.flush());
  await repository.close();
  unlinkSync(path);
  const after = await openAt(target, { lock: 'none' });
  expect(sameFiles(await readFiles(after, snapshot), FILES)).toEqual([]);
  expect(getValue(await after.check({ readData: true })).problems).toEqual([]);

  for (const name of getFiles(join(folder, 'index'))) writeFileSync(name, 'no index');
  await pruneAt(target);
  const cleaned = await openAt(target, { lock: 'none' });
  expect(sameFiles(await readFiles(cleaned, snapshot), FILES)).toEqual([]);
  expect(getValue(await cleaned.check({ readData: true })).problems).toEqual([]);
  await expectNoErrors({ folder, password: PASSWORD });
});

test('ENG-8: over the parts of a check, each pack is read once', async () => {
  const { target } = await makeFilled();
  const repository = await openAt(target, { lock: 'none' });
  const all = getValue(await repository.check({ readData: true }));
  let read = 0;
  for (let part = 0; part < 5; part += 1)
    read += getValue(await repository.check({ readData: { part, of: 5 } })).packsRead;
  expect(read).toBe(all.packs);
  expect(all.packsRead).toBe(all.packs);
});

test('ENG-8: a check compares what the index and the packs say', async () => {
  const { target } = await makeMemoryRepository();
  const repository = await openAt(target);
  const stored = getValue(await repository.saveBlob('data', randomBytes(1, 1_000)));
  const other = getValue(await repository.saveBlob('data', randomBytes(2, 1_000)));
  getValue(await repository.flush());
  await repository.close();
  const [pack = { name: '' }] = getValue(await target.list('data'));
  const [index = { name: '' }] = getValue(await target.list('index'));
  getValue(await target.remove('index', index.name));
  const sealer = await makeSealer(
    getValue(await openKey(target, PASSWORD, tools())).master,
    systemChance,
  );
  const size = { length: 1_032, rawLength: 0 };
  // as if the index had the second one as a folder
  const entries: PackEntry[] = [
    { type: 'data', id: stored.id, offset: 0, ...size },
    { type: 'tree', id: other.id, offset: 1_032, ...size },
  ];
  const document = encodeIndex([{ id: pack.name, entries }]);
  getValue(await writeDocument(target, sealer, 'index', document));
  const wrong = await openAt(target, { lock: 'none' });
  expect(getValue(await wrong.readBlob('data', stored.id))).toHaveLength(1_000);
  expect(getValue(await wrong.check({ readData: true })).problems).toEqual([
    { kind: 'pack', id: pack.name, pack: pack.name },
  ]);
});

test('ENG-8: a blob in the place of another is refused, though its MAC is right', async () => {
  const { files, target } = await makeMemoryRepository();
  const repository = await openAt(target);
  const mails = { 'a.eml': randomBytes(1, 1_000), 'b.eml': randomBytes(2, 1_000) };
  const snapshot = await saveFiles(repository, mails);
  await repository.close();
  const [path = '', pack = Buffer.of()] =
    [...files].filter(([name, { length }]) => name.startsWith('data/') && length > 2_000)[0] ?? [];
  const [first, second] = [pack.subarray(0, 1_032), pack.subarray(1_032, 2_064)];
  files.set(path, Buffer.concat([second, first, pack.subarray(2_064)]));
  const swapped = await openAt(target, { lock: 'none' });
  await expect(readFiles(swapped, snapshot)).rejects.toThrow(/damaged/);
});

for (const order of ['oldest', 'newest'])
  test(`ENG-8: damage is healed by the next backup, while the source has the content (${order} index first)`, async () => {
    const { files, target: unordered } = await makeMemoryRepository();
    const target: typeof unordered = {
      ...unordered,
      async list(type) {
        const listed = await unordered.list(type);
        return listed.ok && order === 'newest'
          ? { ok: true, value: listed.value.toReversed() }
          : listed;
      },
    };
    const first = await openAt(target, { packBytes });
    const snapshot = await saveFiles(first, FILES);
    await first.close();
    for (const [path, bytes] of files) {
      if (!path.startsWith('data/') || bytes.length < 100_000) continue;
      files.set(path, Buffer.from(bytes).fill(0, 1_000, 1_100));
    }
    const repository = await openAt(target, { packBytes });
    await expect(readFiles(repository, snapshot)).rejects.toThrow(/damaged/);
    // whoever checks tells the next backup
    getValue(await repository.check({ readData: true }));
    await saveFiles(repository, FILES, 1);
    await repository.close();

    const healed = await openAt(target, { lock: 'none' });
    expect(sameFiles(await readFiles(healed, snapshot), FILES)).toEqual([]);
    expect(getValue(await healed.check({ readData: true })).files).toEqual([]);
    // the clean-up keeps the good copies and removes the damaged ones
    const report = await pruneAt(target, { maxUnusedShare: 0 });
    expect(report).toMatchObject({ damaged: [], missing: [] });
    const cleaned = await openAt(target, { lock: 'none' });
    expect(sameFiles(await readFiles(cleaned, snapshot), FILES)).toEqual([]);
    expect(getValue(await cleaned.check({ readData: true })).problems).toEqual([]);
  });

test('ENG-8: a clean-up keeps the pack of a blob of which no copy is readable, and says so', async () => {
  const { folder, target } = await makeRepository();
  const repository = await openAt(target);
  await saveFiles(repository, { ...FILES, 'x.bin': randomBytes(7, 50_000) });
  const stored = await saveFiles(repository, FILES, 1);
  await repository.close();
  const [path = ''] = getFiles(join(folder, 'data')).filter(
    (name) => statSync(name).size > 100_000,
  );
  const bytes = readFileSync(path);
  bytes.fill(0, bytes.length - 900_000, bytes.length - 899_000);
  writeFileSync(path, bytes);
  const report = await pruneAt(target, { keep: [stored], maxUnusedShare: 0 });
  expect(report.damaged).toHaveLength(1);
  expect(getFiles(join(folder, 'data'))).toContain(path);
  const after = await openAt(target, { lock: 'none' });
  expect(getValue(await after.check({ readData: true })).files).toEqual([
    { snapshot: stored, path: '/drive/large.bin' },
  ]);
});

test('ENG-8: any range of a file has the bytes of the whole, and only its blobs are read', async () => {
  const { target } = await makeRepository();
  const repository = await openAt(target);
  const bytes = randomBytes(5, 3_000_000);
  const { content, sizeBytes, crc } = getValue(await repository.saveFile(getStream(bytes)));
  expect([sizeBytes, content.length > 1]).toEqual([bytes.length, true]);
  expect(crc).toBe(crc32(bytes));
  for (const isFlushed of [false, true]) {
    if (isFlushed) getValue(await repository.flush());
    for (const [from, to] of [
      [0, 3_000_000],
      [0, 1],
      [2_999_999, 3_000_000],
      [700_000, 2_500_001],
      [10, 10],
      [3_000_000, 4_000_000],
    ] as const) {
      const stream = getValue(await repository.readContent(content, { from, to }));
      expect(Buffer.compare(await collect(stream), bytes.subarray(from, to))).toBe(0);
    }
  }
  const unknown = await repository.readContent([...content, 'ab'.repeat(32)]);
  expect(getKind(unknown)).toBe('missing');
  await repository.close();
});
