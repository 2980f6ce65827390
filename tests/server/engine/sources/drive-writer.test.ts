import { expect, test } from 'vitest';
import { ContentError } from '#server/engine/shared/content-error.ts';
import { driveWriter } from '#server/engine/embedded/sources/drive-writer.ts';
import { driveClient, DriveItem, driveSource } from '#server/engine/embedded/sources/drive.ts';
import type { SourceObject } from '#server/engine/embedded/types.ts';
import { getValue } from '../graph/fixtures.ts';
import { backUp, getInput, NO_ITEMS, WRITE_ROLES } from './restoring.ts';
import type { Stored } from './restoring.ts';
import { losing, ordinaryPeople, tenantGraph } from './tenant.ts';

async function aDrive(options: Parameters<typeof tenantGraph>[0] = {}) {
  const graph = tenantGraph({ roles: WRITE_ROLES, files: 25, mails: 1, ...options });
  const [person] = ordinaryPeople(graph);
  const object: SourceObject = { kind: 'drive', id: person?.id ?? '', name: '', address: '' };
  const stored = await backUp(graph, driveSource(graph.ports), object);
  const { admin } = graph.tenant;
  /** What the drive has under a name in the place of a file. */
  const filesAt = async ({ item, place }: Stored) =>
    (await backUp(graph, driveSource(graph.ports), object)).filter(
      (now) =>
        now.item.title.startsWith(item.title.slice(0, 3)) &&
        JSON.stringify(now.place.path) === JSON.stringify(place.path),
    );
  return { graph, object, kept: stored, admin, filesAt, writer: driveWriter(graph.ports) };
}
const state = (all: readonly Stored[]) =>
  all
    .map(({ item, place, parts }) => [
      [...place.path.map(({ name }) => name), item.title].join('/'),
      item.bytes,
      item.at,
      item.changedAt,
      item.flags.hash,
      Buffer.from(parts.get('raw') ?? []).toString('base64'),
    ])
    .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
const first = (stored: readonly Stored[]): Stored => {
  const found = stored.find(({ place, item }) => place.path.length > 0 && item.bytes > 0);
  if (found === undefined) throw new Error('no file in a folder');
  return found;
};

test('ENG-27: a file that was deleted comes back to its folder with its content and its dates', async () => {
  const { graph, object, kept: stored, admin, writer } = await aDrive();
  expect(stored.length).toBeGreaterThan(20);
  for (const { item } of stored) admin.deleteFile(object.id, item.key);
  for (const one of stored) {
    expect(getValue(await writer.find(one.place, one.item, graph.call))).toBeNull();
    const written = getValue(await writer.write(one.place, one.item, getInput(one), graph.call));
    expect(getValue(await writer.find(one.place, one.item, graph.call))).toEqual({
      ...written,
      isSame: true,
      // It has a new key: the file with the key of the item is gone.
      own: null,
    });
  }
  expect(state(await backUp(graph, driveSource(graph.ports), object))).toEqual(state(stored));
});

test('ENG-27: a file without content, a large one, and one in folders that are missing', async () => {
  const { graph, object, kept: stored, writer } = await aDrive();
  const one = first(stored);
  const place = {
    object,
    path: [
      { name: 'Restored', wellKnown: null },
      { name: '100% & more', wellKnown: null },
    ],
  };
  for (const [title, bytes] of [
    ['empty.txt', new Uint8Array(0)],
    ['large.bin', new Uint8Array(Buffer.alloc(11_000_000, 'Daybook'))],
  ] as const) {
    const made: Stored = {
      place,
      item: { ...one.item, title, bytes: bytes.byteLength, key: 'gone' },
      parts: new Map([['raw', bytes]]),
    };
    getValue(await writer.write(place, made.item, getInput(made), graph.call));
    const found = (await backUp(graph, driveSource(graph.ports), object)).find(
      ({ item }) => item.title === title,
    );
    expect(found?.place.path.map(({ name }) => name)).toEqual(['Restored', '100% & more']);
    expect(Buffer.from(found?.parts.get('raw') ?? []).equals(Buffer.from(bytes))).toBe(true);
    expect([found?.item.at, found?.item.changedAt]).toEqual([one.item.at, one.item.changedAt]);
  }
  expect(getValue(await writer.ensureFolder(place, graph.call)).created).toEqual([]);
});

test('ENG-29: a file is replaced only in the state in which it was found, and keeps its versions', async () => {
  const { graph, object, kept: stored, admin, writer } = await aDrive();
  const one = first(stored);
  const loadVersions = async () => {
    const token = getValue(await graph.ports.tokens.get(graph.stop.signal));
    const answer = await graph.tenant.fetch(
      new Request(
        `https://graph.microsoft.com/v1.0/users/${object.id}/drive/items/${one.item.key}/versions`,
        {
          headers: { authorization: `Bearer ${token}` },
        },
      ),
    );
    return ((await answer.json()) as { value: unknown[] }).value.length;
  };
  admin.changeFile(object.id, one.item.key, Buffer.from('theirs'));
  const found = getValue(await writer.find(one.place, one.item, graph.call));
  expect(found).toMatchObject({ key: one.item.key, isSame: false });
  const before = await loadVersions();
  const written = getValue(
    await writer.write(one.place, one.item, getInput(one, { replaces: found }), graph.call),
  );
  expect([written.key, await loadVersions()]).toEqual([one.item.key, before + 1]);
  expect(getValue(await writer.find(one.place, one.item, graph.call))?.isSame).toBe(true);
  admin.changeFile(object.id, one.item.key, Buffer.from('theirs again'));
  const again = await writer.write(
    one.place,
    one.item,
    getInput(one, { replaces: found }),
    graph.call,
  );
  expect(again).toMatchObject({ ok: false, error: { kind: 'conflict' } });
  expect(await writer.remove(object, written, graph.call)).toMatchObject({
    ok: false,
    error: { kind: 'conflict' },
  });
  const now = getValue(await writer.find(one.place, one.item, graph.call));
  getValue(
    await writer.remove(
      object,
      { key: now?.key ?? '', changeKey: now?.changeKey ?? '' },
      graph.call,
    ),
  );
  expect(getValue(await writer.find(one.place, one.item, graph.call))).toBeNull();
});

test('ENG-29: a renamed file gets its content and its name back, and a file that has its name stands for it', async () => {
  const { graph, object, kept: stored, admin, writer } = await aDrive();
  const one = first(stored);
  const { place, item } = one;
  const rename = async (key: string, name: string): Promise<void> => {
    const client = driveClient(graph.ports, object, graph.call);
    getValue(await client.patch(`/users/${object.id}/drive/items/${key}`, { name }, DriveItem));
  };
  const names = async (): Promise<readonly string[]> =>
    (await backUp(graph, driveSource(graph.ports), object))
      .filter((now) => JSON.stringify(now.place.path) === JSON.stringify(place.path))
      .map((now) => now.item.title)
      .toSorted();
  const before = await names();

  // Only the name: no version is written.
  await rename(item.key, 'Other name.txt');
  const renamed = getValue(await writer.find(place, item, graph.call));
  expect(renamed).toMatchObject({ key: item.key, isSame: false });
  getValue(await writer.write(place, item, getInput(one, { replaces: renamed }), graph.call));
  expect([await names(), admin.listVersions(item.key).length]).toEqual([before, 1]);
  expect(getValue(await writer.find(place, item, graph.call))?.isSame).toBe(true);

  // Name and content.
  await rename(item.key, 'Other name.txt');
  admin.changeFile(object.id, item.key);
  const changed = getValue(await writer.find(place, item, graph.call));
  getValue(await writer.write(place, item, getInput(one, { replaces: changed }), graph.call));
  expect(await names()).toEqual(before);
  expect(getValue(await writer.find(place, item, graph.call))?.isSame).toBe(true);

  // Another file has taken the name meanwhile.
  await rename(item.key, 'Other name.txt');
  const taken: Stored = { ...one, item: { ...item, key: 'gone' } };
  const other = getValue(await writer.write(place, taken.item, getInput(taken), graph.call));
  admin.changeFile(object.id, other.key);
  expect(getValue(await writer.find(place, item, graph.call))).toMatchObject({
    key: other.key,
    isSame: false,
  });
});

test('ENG-27: a file that is kept beside another gets a name of its own; without that it is a conflict', async () => {
  const { graph, kept: stored, writer, filesAt } = await aDrive();
  const one = first(stored);
  expect(await writer.write(one.place, one.item, getInput(one), graph.call)).toMatchObject({
    ok: false,
    error: { kind: 'conflict', message: 'An item with this name already exists.' },
  });
  const before = (await filesAt(one)).length;
  const other = getValue(await writer.find(one.place, one.item, graph.call));
  const others = other === null ? [] : [other.key];
  expect(getValue(await writer.findCopy(one.place, one.item, others, graph.call))).toBeNull();
  const written = getValue(
    await writer.write(one.place, one.item, getInput(one, { keepBoth: true }), graph.call),
  );
  const after = await filesAt(one);
  expect(after.length).toBe(before + 1);
  const name = one.item.title.replace(/(?=\.[^.]*$|$)/, ' 1');
  expect(after.find(({ item }) => item.key === written.key)?.item.title).toBe(name);
  expect(getValue(await writer.findCopy(one.place, one.item, others, graph.call))).toEqual({
    ...written,
    isSame: true,
  });
});

test('ENG-28: wherever a response is lost, a file that is kept beside another is there once', async () => {
  const lost = losing();
  const { graph, object, kept: stored, admin, writer, filesAt } = await aDrive({ over: lost.over });
  for (const [n, one] of stored.slice(0, 6).entries()) {
    admin.changeFile(object.id, one.item.key, Buffer.from('theirs'));
    const before = (await filesAt(one)).length;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      lost.next(attempt === 0 ? n : null);
      const other = getValue(await writer.find(one.place, one.item, graph.call));
      const others = other === null ? [] : [other.key];
      if (getValue(await writer.findCopy(one.place, one.item, others, graph.call)) !== null) break;
      await writer.write(one.place, one.item, getInput(one, { keepBoth: true }), graph.call);
    }
    lost.next(null);
    expect([n, (await filesAt(one)).length]).toEqual([n, before + 1]);
  }
});

test('ENG-29: a folder that was created is removed only while it is empty', async () => {
  const { graph, object, kept: stored, writer } = await aDrive();
  const one = first(stored);
  const place = { object, path: [{ name: 'Restored', wellKnown: null }] };
  const { key, created } = getValue(await writer.ensureFolder(place, graph.call));
  expect(created).toEqual([key]);
  const item = { ...one.item, key: 'gone' };
  const written = getValue(await writer.write(place, item, getInput(one), graph.call));
  expect(await writer.removeFolder(object, key, graph.call, NO_ITEMS)).toMatchObject({
    ok: false,
    error: { kind: 'conflict', message: "The folder isn't empty." },
  });
  getValue(await writer.remove(object, written, graph.call));
  getValue(await writer.removeFolder(object, key, graph.call, NO_ITEMS));
  getValue(await writer.removeFolder(object, key, graph.call, NO_ITEMS));
  expect(getValue(await writer.ensureFolder(place, graph.call)).created.length).toBe(1);
});

test('G70: a name that would lead elsewhere is refused before any request', async () => {
  const { graph, object, kept: stored, writer } = await aDrive();
  const one = first(stored);
  const before = graph.requests.filter((name) => !name.startsWith('GET ')).length;
  for (const title of ['.', '..', 'a/b', 'a\\b', '', '../../sites']) {
    const made: Stored = { ...one, item: { ...one.item, title, key: 'gone' } };
    expect(
      await writer.write(one.place, made.item, getInput(made), graph.call),
      `of ${title}`,
    ).toMatchObject({
      ok: false,
      error: { kind: 'invalid' },
    });
    const place = { object, path: [{ name: title, wellKnown: null }] };
    expect((await writer.ensureFolder(place, graph.call)).ok, `of ${title}`).toBe(false);
  }
  expect(graph.requests.filter((name) => !name.startsWith('GET ')).length).toBe(before);
});

test('ENG-28: wherever a response is lost, writing again leads to one file', async () => {
  const lost = losing();
  const { graph, object, kept: stored, admin, writer, filesAt } = await aDrive({ over: lost.over });
  for (const [n, one] of stored.slice(0, 14).entries()) {
    if (n % 2 === 0) admin.changeFile(object.id, one.item.key, Buffer.from('theirs'));
    else admin.deleteFile(object.id, one.item.key);
    const others = (await filesAt(one)).filter(({ item }) => item.title !== one.item.title).length;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      lost.next(attempt === 0 ? Math.floor(n / 2) : null);
      const found = getValue(await writer.find(one.place, one.item, graph.call));
      if (found?.isSame) break;
      await writer.write(one.place, one.item, getInput(one, { replaces: found }), graph.call);
    }
    lost.next(null);
    const files = await filesAt(one);
    expect(files.length, `file ${n}`).toBe(others + 1);
    const now = files.find(({ item }) => item.title === one.item.title);
    expect(now?.item.flags.hash, `file ${n}`).toBe(one.item.flags.hash);
  }
});

test('ENG-27: content that breaks off leaves no file, and its upload is cancelled', async () => {
  const { graph, object, kept: stored, writer } = await aDrive();
  const one = first(stored);
  const place = { object, path: [{ name: 'Restored', wellKnown: null }] };
  const broken = getInput(one, { content: async () => ({ ok: true, value: breaksOff() }) });
  const item = { ...one.item, key: 'gone', bytes: 10_000_000 };
  expect(await writer.write(place, item, broken, graph.call)).toMatchObject({
    ok: false,
    error: { kind: 'damaged', message: 'planted' },
  });
  expect(getValue(await writer.find(place, item, graph.call))).toBeNull();
  expect(graph.requests.some((name) => name.startsWith('DELETE '))).toBe(true);
});

async function* breaksOff(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(6_000_000);
  throw new ContentError({ kind: 'damaged', message: 'planted' });
}
