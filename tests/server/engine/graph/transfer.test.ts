import { createHash } from 'node:crypto';
import { array, assert, asyncProperty, constantFrom, integer, nat, oneof } from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { checkContent, QuickXorHash } from '#server/engine/embedded/graph/content-hash.ts';
import { download } from '#server/engine/embedded/graph/download.ts';
import { cancelUpload, upload } from '#server/engine/embedded/graph/upload.ts';
import {
  broken,
  cutBody,
  graphError,
  json,
  seeded,
  silence,
  testGraph,
  getValue,
} from './fixtures.ts';
import type { TestGraph } from './fixtures.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const HOST = 'https://harbour-my.sharepoint.com';
const SCOPE = { service: 'drive', object: 'd' } as const;

const getBytes = (length: number, seed: number): Uint8Array<ArrayBuffer> => {
  const random = seeded(seed);
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
};

interface Read {
  readonly bytes: Buffer;
  readonly error: string | null;
}
/** What Graph lists besides the size, and whether the file has stayed the same in the meantime. */
interface Listed {
  readonly hash?: string | null;
  readonly stays?: boolean;
}
async function readAll(
  graph: TestGraph,
  bytes: number,
  links: readonly string[],
  { hash = null, stays = false }: Listed = {},
): Promise<Read> {
  const { ports, scope } = graph.clientFor(SCOPE);
  const parts: Uint8Array[] = [];
  let request = 0;
  const link = async () => {
    request += 1;
    return { ok: true as const, value: links[Math.min(request, links.length) - 1] ?? '' };
  };
  for await (const part of download(ports, scope, {
    link,
    bytes,
    hash,
    isUnchanged: async () => ({ ok: true, value: stays }),
  })) {
    if (!part.ok) return { bytes: Buffer.concat(parts), error: part.error.kind };
    parts.push(part.value);
  }
  return { bytes: Buffer.concat(parts), error: null };
}

/** How a server of files answers, as published: ranges, links that expire, an ETag. */
function fileServer(content: Uint8Array<ArrayBuffer>, plan: string[], etag = '"1"') {
  return (request: Request): Response | Promise<Response> => {
    const range = /^bytes=(\d+)-$/.exec(request.headers.get('range') ?? '');
    const from = Number(range?.[1] ?? 0);
    const rest = content.subarray(from);
    const headers = { etag, 'content-length': String(rest.byteLength) };
    const partial = {
      ...headers,
      'content-range': `bytes ${from}-${content.byteLength - 1}/${content.byteLength}`,
    };
    const step = plan.shift() ?? 'whole';
    const [kind, amount = '0'] = step.split(' ');
    switch (kind) {
      case 'cut':
        return new Response(cutBody(rest, Math.min(rest.byteLength, Number(amount))), {
          status: from > 0 ? 206 : 200,
          headers: from > 0 ? partial : headers,
        });
      case 'stall':
        return new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(rest.subarray(0, Math.max(1, Number(amount))));
            },
          }),
          { status: from > 0 ? 206 : 200, headers: from > 0 ? partial : headers },
        );
      case 'expired':
        return new Response('planted', { status: Number(amount) });
      case 'throttled':
        return graphError(429, 'activityLimitReached', { 'retry-after': '5' });
      case 'silence':
        return silence();
      case 'broken':
        return broken();
      case 'ignored':
        return new Response(content, { headers: { etag } });
      default:
        return new Response(rest, {
          status: from > 0 ? 206 : 200,
          headers: from > 0 ? partial : headers,
        });
    }
  };
}

const step = oneof(
  nat({ max: 900 }).map((bytes) => `cut ${bytes}`),
  nat({ max: 900 }).map((bytes) => `stall ${bytes}`),
  constantFrom(
    'expired 401',
    'expired 403',
    'expired 404',
    'throttled',
    'silence',
    'broken',
    'ignored',
  ),
);

test('ENG-21: however a download is cut, stalls, expires or is throttled, its bytes are those of the file', async () => {
  await assert(
    asyncProperty(
      nat({ max: 2_000 }),
      array(step, { maxLength: 5 }),
      nat(),
      async (length, plan, seed) => {
        const content = getBytes(length, seed);
        const graph = testGraph(fileServer(content, [...plan]), { random: seeded(seed) });
        const links = Array.from({ length: 20 }, (_, n) => `${HOST}/file?token=${n}`);
        const read = await readAll(graph, length, links);
        expect(read.error).toBeNull();
        expect(read.bytes.equals(content)).toBe(true);
        expect(graph.requests.some((request) => request.headers.has('authorization'))).toBe(false);
      },
    ),
    { numRuns: 80 * PROOF },
  );
});

test('ENG-21: a file that changes while it is read is never mixed from two versions', async () => {
  const content = getBytes(1_000, 1);
  for (const [name, second] of [
    ['another ETag', fileServer(getBytes(1_000, 2), [], '"2"')],
    ['another size', fileServer(getBytes(1_001, 1), [])],
  ] as const) {
    const first = fileServer(content, ['cut 400']);
    const graph = testGraph((request, n) => (n === 1 ? first(request) : second(request)));
    const read = await readAll(graph, 1_000, [`${HOST}/file`]);
    expect([read.error, read.bytes.equals(content.subarray(0, 400))], `of ${name}`).toEqual([
      'conflict',
      true,
    ]);
  }
  const longer = testGraph(fileServer(getBytes(1_001, 1), []));
  expect((await readAll(longer, 1_000, [`${HOST}/file`])).error).toBe('conflict');
});

const digest = (kind: string, bytes: Uint8Array): string =>
  `${kind}:${createHash(kind).update(bytes).digest('hex').toUpperCase()}`;

test('ENG-84: content of another length than listed is read if it has the listed hash, or if the file stays the same, and never if it is cut', async () => {
  await assert(
    asyncProperty(
      nat({ max: 1_500 }),
      nat({ max: 1_500 }),
      array(step, { maxLength: 4 }),
      constantFrom(null, 'sha1', 'sha256'),
      nat(),
      async (listed, length, plan, kind, seed) => {
        const content = getBytes(length, seed);
        const read = async (about: Listed) => {
          const graph = testGraph(fileServer(content, [...plan]), { random: seeded(seed) });
          const links = Array.from({ length: 20 }, (_, n) => `${HOST}/file?token=${n}`);
          return readAll(graph, listed, links, about);
        };
        const right = await read({
          hash: kind === null ? null : digest(kind, content),
          stays: kind === null,
        });
        expect([right.error, right.bytes.equals(content)]).toEqual([null, true]);
        if (listed === length) return;
        const wrong = await read({
          hash: kind === null ? null : digest(kind, Buffer.alloc(length + 1, 7)),
          stays: kind !== null,
        });
        expect(wrong.error).toBe('conflict');
      },
    ),
    { numRuns: 60 * PROOF },
  );
  // A server that states no length says where the content ends when asked for more.
  const unsized = (end: number) =>
    testGraph((request) =>
      request.headers.has('range')
        ? new Response(null, { status: 416, headers: { 'content-range': `bytes */${end}` } })
        : new Response(getBytes(700, 3)),
    );
  const whole = await readAll(unsized(700), 170, [`${HOST}/file`], { stays: true });
  expect([whole.error, whole.bytes.equals(getBytes(700, 3))]).toEqual([null, true]);
  expect((await readAll(unsized(699), 170, [`${HOST}/file`], { stays: true })).error).toBe(
    'conflict',
  );
  // The server states 1,000 bytes and sends 400 again and again; the list says 400.
  const content = getBytes(1_000, 1);
  const cut = testGraph((request) => {
    const range = request.headers.get('range');
    return range === null
      ? fileServer(content, ['cut 400'])(request)
      : fileServer(content, ['cut 0'])(request);
  });
  const read = await readAll(cut, 400, [`${HOST}/file`], { stays: true });
  expect([read.error, read.bytes.byteLength]).toEqual(['unreachable', 400]);
});

test("ENG-84: OneDrive's hash of content is the published one, however it arrives", () => {
  // The first is of a file in OneDrive (OneDrive/onedrive-api-docs, issue 613).
  const digests = [
    ['1\n', 'MVAAAAAAAAAAAAAAAgAAAAAAAAA='],
    ['hello world', 'aCgDG9jwBhDc4Q1yawMZAAAAAAA='],
  ] as const;
  for (const [text, known] of digests) {
    const hex = Buffer.from(known, 'base64').toString('hex').toUpperCase();
    for (const hash of [`quickXor:${known}`, `quickXor:${hex}`])
      for (const cut of [0, 1]) {
        const [right, wrong] = [checkContent(hash), checkContent(hash)];
        right?.update(Buffer.from(text.slice(0, cut)));
        right?.update(Buffer.from(text.slice(cut)));
        wrong?.update(Buffer.from(text.replace('1', '2').replace('h', 'j')));
        expect([right?.isRight(), wrong?.isRight()]).toEqual([true, false]);
      }
  }
  for (const length of [0, 159, 160, 161, 5_000]) {
    const bytes = getBytes(length, length);
    const hash = new QuickXorHash();
    for (let at = 0; at < length; at += 77) hash.update(bytes.subarray(at, at + 77));
    expect(hash.digest().toString('hex'), `of ${length} bytes`).toBe(slowQuickXor(bytes));
  }
});

/** The algorithm word for word, on a number of 160 bits: its bytes come out in reverse order. */
function slowQuickXor(bytes: Uint8Array): string {
  const mask = (1n << 160n) - 1n;
  let circle = 0n;
  for (const [n, byte] of bytes.entries()) {
    const turn = BigInt((n * 11) % 160);
    const shifted = BigInt(byte) << turn;
    circle ^= (shifted & mask) | (shifted >> 160n);
  }
  const out = Buffer.from(circle.toString(16).padStart(40, '0'), 'hex').toReversed();
  const length = Buffer.alloc(20);
  length.writeBigUInt64LE(BigInt(bytes.byteLength), 12);
  return Buffer.from(out.map((byte, at) => byte ^ (length[at] ?? 0))).toString('hex');
}

test('ENG-21: a file that stays shorter, a link that is refused again and again: an error, and no endless loop', async () => {
  const short = testGraph(() => new Response(new Uint8Array(10)));
  expect((await readAll(short, 20, [`${HOST}/file`])).error).toBe('unreachable');
  const refused = testGraph(() => new Response(null, { status: 403 }));
  expect((await readAll(refused, 20, [`${HOST}/file`])).error).toBe('forbidden');
  expect(refused.requests.length).toBeLessThan(10);
});

test("G70: downloads and uploads go to the cloud's own hosts only, without the token", async () => {
  for (const link of [
    'https://harbour.sharepoint.com.example.com/file',
    'http://harbour.sharepoint.com/file',
    'https://127.0.0.1/file',
    'https://graph.microsoft.com/v1.0/me',
    '/relative',
  ]) {
    const graph = testGraph(() => new Response('planted'));
    expect((await readAll(graph, 7, [link])).error, `of ${link}`).toBe('refused');
    const { ports, scope } = graph.clientFor(SCOPE);
    const sent = await upload(
      ports,
      scope,
      { uploadUrl: link, bytes: 1, content: getPieces(getBytes(1, 1), 1) },
      Item,
    );
    expect(sent, `of ${link}`).toMatchObject({ ok: false, error: { kind: 'refused' } });
    await cancelUpload(ports, scope, link);
    expect(graph.requests.length, `of ${link}`).toBe(0);
  }
});

const Item = v.object({ id: v.string() });
const FRAGMENT = 5 * 1_048_576;

async function* getPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

/** An upload session as published: in order, whole fragments of 320 KiB, its state on request. */
function uploadServer(total: number, plan: string[]) {
  const received = Buffer.alloc(total);
  let next = 0;
  const state = () => ({ nextExpectedRanges: [`${next}-${total - 1}`] });
  const answer = async (request: Request): Promise<Response> => {
    expect(request.headers.has('authorization')).toBe(false);
    if (request.method === 'GET')
      return next === total ? graphError(404, 'itemNotFound') : json(state());
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers.get('content-range') ?? '');
    const [from, last, whole] = (range ?? []).slice(1).map(Number);
    if (from === undefined || last === undefined) return graphError(400, 'invalidRequest');
    const failure = plan.shift();
    if (failure === 'lost before') return broken();
    if (failure === 'throttled')
      return graphError(429, 'activityLimitReached', { 'retry-after': '1' });
    if (failure === 'error') return graphError(500, 'generalException');
    if (failure === 'refused') return graphError(401, 'unauthenticated');
    const body = new Uint8Array(await request.arrayBuffer());
    const isLast = last === total - 1;
    if (whole !== total || body.byteLength !== last - from + 1)
      return graphError(400, 'fragmentLengthMismatch');
    if (from !== next) return graphError(416, 'invalidRange');
    if (!isLast && body.byteLength % 327_680 !== 0) return graphError(400, 'invalidRequest');
    received.set(body, from);
    next = last + 1;
    if (failure === 'lost after' && !isLast) return broken();
    return isLast ? json({ id: 'file' }, { status: 201 }) : json(state(), { status: 202 });
  };
  return { received, answer };
}

test('ENG-21: an upload goes on where Graph says, whatever is lost on the way', async () => {
  await assert(
    asyncProperty(
      integer({ min: 1, max: 3 * FRAGMENT }),
      array(constantFrom('lost before', 'lost after', 'throttled', 'error', 'refused', 'none'), {
        maxLength: 6,
      }),
      integer({ min: 100_000, max: 4_000_000 }),
      async (total, plan, size) => {
        const content = Buffer.alloc(total, 'Daybook');
        const server = uploadServer(total, [...plan]);
        const graph = testGraph(server.answer);
        const { ports, scope } = graph.clientFor(SCOPE);
        const uploadUrl = `${HOST}/upload?token=planted`;
        const item = await upload(
          ports,
          scope,
          { uploadUrl, bytes: total, content: getPieces(content, size) },
          Item,
        );
        expect(getValue(item)).toEqual({ id: 'file' });
        expect(server.received.equals(content)).toBe(true);
      },
    ),
    { numRuns: 8 * PROOF },
  );
});

test('ENG-21: an upload whose last response is lost says so, since the file may exist', async () => {
  const server = uploadServer(10, []);
  const graph = testGraph(async (request) => {
    const answer = await server.answer(request);
    return request.method === 'PUT' ? broken() : answer;
  });
  const { ports, scope } = graph.clientFor(SCOPE);
  const content = getPieces(getBytes(10, 1), 3);
  const result = await upload(ports, scope, { uploadUrl: `${HOST}/u`, bytes: 10, content }, Item);
  expect(result).toMatchObject({ ok: false, error: { kind: 'unreachable' } });
});

test('ENG-21: an upload whose link is refused again and again has ended, which says nothing about the sign-in', async () => {
  const graph = testGraph(async () => graphError(401, 'unauthenticated'));
  const { ports, scope } = graph.clientFor(SCOPE);
  const content = getPieces(getBytes(10, 1), 3);
  const result = await upload(ports, scope, { uploadUrl: `${HOST}/u`, bytes: 10, content }, Item);
  expect(result).toMatchObject({ ok: false, error: { kind: 'ended' } });
});

test('ENG-21: a name that is taken, a full drive and content of another size end an upload', async () => {
  for (const [status, code, kind] of [
    [409, 'nameAlreadyExists', 'conflict'],
    [507, 'quotaLimitReached', 'full'],
  ] as const) {
    const graph = testGraph(() => graphError(status, code));
    const { ports, scope } = graph.clientFor(SCOPE);
    const content = getPieces(getBytes(10, 1), 10);
    const result = await upload(ports, scope, { uploadUrl: `${HOST}/u`, bytes: 10, content }, Item);
    expect([result.ok ? '' : result.error.kind, graph.requests.length]).toEqual([kind, 1]);
  }
  for (const bytes of [9, 11]) {
    const server = uploadServer(bytes, []);
    const graph = testGraph(server.answer);
    const { ports, scope } = graph.clientFor(SCOPE);
    const content = getPieces(getBytes(10, 1), 10);
    const result = await upload(ports, scope, { uploadUrl: `${HOST}/u`, bytes, content }, Item);
    expect(result.ok).toBe(false);
    await cancelUpload(ports, scope, `${HOST}/u`);
    expect(graph.requests.at(-1)?.method).toBe('DELETE');
  }
});
