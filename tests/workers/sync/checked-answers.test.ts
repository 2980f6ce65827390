import { crc32 as crcOfZlib } from 'node:zlib';
import { expect, test } from 'vitest';
import { ok } from '#contract/result.ts';
import type { SyncEvent } from '#machines/sync-events.ts';
import { TestClock } from '#tests/sim/clock.ts';
import { makeChance } from '#tests/sim/random.ts';
import { makeCheckedFetch } from '#workers/sync/checked-fetch.ts';
import { crc32 } from '#workers/sync/crc32.ts';
import { PushedPages } from '#workers/sync/pushed-pages.ts';
import { readPokes } from '#workers/sync/stream.ts';
import type { Wire } from '#workers/sync/wire.ts';

const TEXT = '{"success":true,"data":{"note":"Größe: 12 TB"}}';
const hex = (sum: number): string => sum.toString(16).padStart(8, '0');
/** As the contract describes it, by another implementation. */
const getSum = (mark: string, status: number, body: Uint8Array): string =>
  hex(crcOfZlib(Buffer.concat([Buffer.from(`${mark} ${status}\n`), body])));

const last = (marks: readonly string[]): string => marks.at(-1) ?? '';

/** A device that gets these answers, made from the marks of its requests so far. */
function askThrough(answer: (marks: readonly string[]) => Response) {
  const marks: string[] = [];
  const fetch = makeCheckedFetch({
    chance: makeChance(1),
    fetch: (input, init) => {
      const { headers } = input instanceof Request ? input : new Request(input, init);
      marks.push(headers.get('daybook-mark') ?? '');
      return Promise.resolve(answer(marks));
    },
  });
  return (input: Request | string = 'http://daybook.test/api/v1/x'): Promise<string> =>
    fetch(input).then(
      (response) => response.text(),
      () => 'refused',
    );
}

test('SYNC-24: the checksum is the CRC-32 of gzip, for every length', () => {
  // The check value of CRC-32 in the catalog of parametrised CRC algorithms.
  expect(hex(crc32(new TextEncoder().encode('123456789')))).toBe('cbf43926');
  const chance = makeChance(7);
  for (let length = 0; length < 70; length++) {
    const bytes = Uint8Array.from({ length }, () => chance.below(256));
    const before = chance.below(2 ** 32);
    expect(crc32(bytes, before)).toBe(crcOfZlib(bytes, before));
  }
});

test('SYNC-24: an answer counts only if each bit of its body, its status and the mark of its request are those of its checksum', async () => {
  const whole = Buffer.from(TEXT);
  const send = (body: Buffer, mark: string, of = 200, status = 200): Response =>
    new Response(Uint8Array.from(body), {
      status,
      headers: { 'daybook-sum': getSum(mark, of, whole) },
    });
  expect(await askThrough((marks) => send(whole, last(marks)))()).toBe(TEXT);
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const damaged = Buffer.from(whole);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(await askThrough((marks) => send(damaged, last(marks)))()).toBe('refused');
  }
  for (let length = 0; length < whole.length; length++)
    expect(await askThrough((marks) => send(whole.subarray(0, length), last(marks)))()).toBe(
      'refused',
    );
  expect(await askThrough((marks) => send(whole, last(marks), 200, 409))()).toBe('refused');
  const ask = askThrough((marks) => send(whole, marks[0] ?? ''));
  expect([await ask(), await ask(), await ask(new Request('http://daybook.test/'))]).toEqual([
    TEXT,
    'refused',
    'refused',
  ]);
  expect(await askThrough(() => new Response(TEXT))()).toBe(TEXT);
});

/** What a device learns from a stream, and whether it has the events that came with it. */
async function readStream(text: Buffer): Promise<{ events: SyncEvent[]; hasPage: boolean }> {
  const pushed = new PushedPages();
  const events: SyncEvent[] = [];
  let hasPage = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Uint8Array.from(text));
      controller.close();
    },
  });
  const wire = { stream: () => Promise.resolve(ok(body)) } as unknown as Wire;
  await readPokes(
    wire,
    new TestClock(),
    () => 'e1',
    new AbortController().signal,
    pushed,
    (event) => {
      // The end of the stream drops all pages.
      if (event.type !== 'STREAM_CLOSED') events.push(event);
      // As if the device had asked the server.
      if (event.type === 'NUDGE') pushed.asking()();
      if (event.type === 'POKE' && pushed.continues(5, 'e1')) hasPage = true;
    },
  );
  return { events, hasPage };
}

test('SYNC-24: whatever bit of a message of the stream is damaged, the device asks the server', async () => {
  const page = { after: 5, cursor: 6, events: [{ seq: 6, note: 'exact' }] };
  const data = JSON.stringify({ kind: 'head', head: 6, epoch: 'e1', page });
  const before = ': still here\n\n';
  const message = `sum: ${hex(crcOfZlib(data))}\ndata: ${data}\n\n`;
  // A message before shows that this stream has checksums.
  const sources = '{"kind":"sources"}';
  const first = `sum: ${hex(crcOfZlib(sources))}\ndata: ${sources}\n\n`;
  const whole = Buffer.from(first + before + message);
  const { events, hasPage } = await readStream(whole);
  expect(events.map(({ type }) => type)).toEqual(['STREAM_OPEN', 'NUDGE', 'POKE']);
  expect(hasPage).toBe(true);
  const start = first.length + before.length;
  // But for its last line feeds: what they end has been read.
  for (let bit = start * 8; bit < (whole.length - 2) * 8; bit++) {
    const damaged = Buffer.from(whole);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const read = await readStream(damaged);
    const types = read.events.map(({ type }) => type);
    const isRefused = types.length > 2 && types.slice(2).every((type) => type === 'NUDGE');
    expect({ bit, isRefused, hasPage: read.hasPage }).toEqual({
      bit,
      isRefused: true,
      hasPage: false,
    });
  }
});

test('SYNC-24: a stream of an older server, without checksums, is read', async () => {
  const { events } = await readStream(
    Buffer.from('data: {"kind":"head","head":6,"epoch":"e1"}\n\n: still here\n\n'),
  );
  expect(events.map(({ type }) => type)).toEqual(['STREAM_OPEN', 'POKE']);
});
