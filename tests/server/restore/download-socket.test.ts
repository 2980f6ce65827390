import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findStoredRepository } from '#server/engine/embedded/repositories/repositories.ts';
import { neededBlobs } from '#server/engine/embedded/repositories/needed.ts';
import { pruneRepository } from '#server/engine/embedded/restic/repository.ts';
import { listen } from '#server/platform/http/listen.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { randomBytes, getValue } from '../engine/restic/fixtures.ts';
import { aLibrary, type Library, openLibrary } from './content.ts';
import { download, firstVisit } from './downloading.ts';

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The connection was closed before the end. */
  readonly isCut: boolean;
}

/** Reads an address over a socket, and leaves after `maxBytes`. */
const receive = (
  { office }: Library,
  port: number,
  path: string,
  { method = 'GET', headers = {}, maxBytes = Infinity } = {},
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', path, method, headers: { host: office.host, ...headers } },
      (answer) => {
        const pieces: Buffer[] = [];
        let size = 0;
        const end = () => {
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            bytes: Buffer.concat(pieces),
            isCut: !answer.complete,
          });
        };
        answer.on('data', (piece: Buffer) => {
          pieces.push(piece);
          size += piece.length;
          if (size >= maxBytes) answer.destroy();
        });
        answer.on('error', () => undefined);
        answer.on('close', end);
      },
    );
    sent.on('error', reject);
    sent.end();
  });

const CONTENT = randomBytes(7, 6_000_000);
const GARBAGE = randomBytes(8, 3_000_000);

test('DL-2, DL-11, ENG-8: over a socket, a cut download continues with the same bytes, also after a clean-up moved them, and damage ends it', async () => {
  const library = await aLibrary(await freshStore(ONE));
  const { ground: fixture, office, admin, ours } = library;
  const { context } = fixture;
  await library.store(ours, 1, 'drive', [
    { path: [], title: 'film.mp4', content: CONTENT },
    { path: [], title: 'old.bin', content: GARBAGE },
  ]);
  const server = await listen(library.app, 0, '127.0.0.1');
  const session = await openLibrary(admin, ours, 'Veod');
  const made = await download(admin, session, 'onedrives/o1/documents/download', {
    documents: ['i1.1'],
  });
  const { url } = made;

  const head = await receive(library, server.port, url, { method: 'HEAD' });
  expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([
    200,
    String(CONTENT.length),
    0,
  ]);
  const first = await receive(library, server.port, url, { maxBytes: 2_500_000 });
  expect(first.isCut).toBe(true);
  expect(first.headers['content-length']).toBe(String(CONTENT.length));
  const half = first.bytes.length;
  const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const goOn = (from: number) =>
    receive(library, server.port, url, {
      headers: { cookie, 'range': `bytes=${from}-`, 'if-range': first.headers.etag ?? '' },
    });
  const rest = await goOn(half);
  expect([rest.status, rest.isCut]).toEqual([206, false]);
  expect(Buffer.concat([first.bytes, rest.bytes]).equals(CONTENT)).toBe(true);

  // A clean-up drops the other file: what the download needs moves into other packs.
  const { target, password } = getValue(
    await findStoredRepository(context, office.tenant, ours.repository),
  );
  await context.store.tenant(office.tenant, ({ sql, tenant }) =>
    sql.deleteFrom('item').where('tenant_id', '=', tenant).execute(),
  );
  const pruned = getValue(
    await pruneRepository(target, {
      password,
      clock: context.clock,
      chance: context.chance,
      maxUnusedShare: 0,
      keepBlobs: neededBlobs(context.store, office.tenant, {
        repository: ours.repository,
        since: 0,
        now: context.clock.now(),
      }),
    }),
  );
  expect(pruned.packsRemoved).toBeGreaterThan(0);
  expect(pruned.packsWritten).toBeGreaterThan(0);
  expect((await goOn(half)).bytes.equals(CONTENT.subarray(half))).toBe(true);

  // One byte near the end of the content is wrong in every pack.
  const data = join(context.config.repositoriesDir ?? '', ours.repository, 'data');
  const packs = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const { parentPath, name } of packs) {
    const bytes = readFileSync(join(parentPath, name));
    const at = Math.floor(bytes.length * 0.6);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(join(parentPath, name), bytes);
  }
  const damaged = await goOn(0);
  expect([damaged.status, damaged.isCut]).toEqual([206, true]);
  expect(damaged.bytes.length).toBeLessThan(CONTENT.length);
  expect(damaged.bytes.equals(CONTENT.subarray(0, damaged.bytes.length))).toBe(true);
  await server.stop(0);
});

test('DL-1: of 10,000 files, a range needs its own part of the list and its own files only', async () => {
  const library = await aLibrary(await freshStore(ONE));
  const { admin, ours, office, ground: fixture } = library;
  const { store } = fixture.context;
  await library.store(ours, 1, 'drive', [
    { path: [], title: 'same.txt', content: Buffer.from('the same content') },
  ]);
  await store.tenant(office.tenant, ({ sql: db, tenant }) =>
    sql`
      insert into item (tenant_id, object_n, n, folder_key, key, change_key, from_point, to_point, kind, at, changed_at, bytes, title, people, parts)
      select tenant_id, object_n, g, folder_key, key || g, change_key, from_point, to_point, kind, at, changed_at, bytes, title, people, parts
      from item, generate_series(2, 10000) as g where tenant_id = ${tenant} and object_n = 1 and n = 1`.execute(
      db,
    ),
  );
  const session = await openLibrary(admin, ours, 'Veod');
  const made = await download(admin, session, 'onedrives/o1/download');
  expect(made.items).toBe(10_000);
  const { first, cookies } = await firstVisit(library, made);
  expect(first.bytes.length).toBe(made.bytes);
  // Without the rest of the list, a range at the beginning is read all the same.
  await store.tenant(office.tenant, ({ sql: db, tenant }) =>
    db.deleteFrom('prepared_part').where('tenant_id', '=', tenant).where('n', '>', 0).execute(),
  );
  const begin = await library.read(made.url, { cookies, headers: { range: 'bytes=0-9999' } });
  expect(begin.bytes.equals(first.bytes.subarray(0, 10_000))).toBe(true);
});
