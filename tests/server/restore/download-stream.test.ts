import { spawnSync, execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ContentError } from '#server/engine/shared/content-error.ts';
import { contentDisposition } from '#server/features/restore/downloads/file-name.ts';
import { guardedStream } from '#server/features/restore/downloads/stream.ts';
import { makeClock } from '../engine/restic/fixtures.ts';

const skipped = spawnSync('python3', ['--version']).status === 0 ? '' : ' (skipped: no python3)';
const SECONDS_15 = 15_000;

/** A download whose right to go on the test holds. */
function aDownload(pieces: readonly (number | Error)[]) {
  const clock = makeClock(1_000_000);
  const ends: unknown[] = [];
  const state = { mayGoOn: true, closed: false };
  const content = async function* read() {
    try {
      for (const piece of pieces) {
        if (piece instanceof Error) throw piece;
        yield new Uint8Array(piece).fill(piece % 251);
      }
    } finally {
      state.closed = true;
    }
  };
  const stream = guardedStream(content(), {
    clock,
    mayGoOn: () => Promise.resolve(state.mayGoOn),
    disconnect: () => false,
    onEnd: (error) => ends.push(error),
  });
  return { clock, ends, state, reader: stream.getReader() };
}
const PIECE = 100_000;

test('DL-11: a download is sent in order, small pieces joined, and ends once', async () => {
  const { ends, state, reader } = aDownload([10, PIECE, 20, 30]);
  const sizes: number[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    sizes.push(value.byteLength);
  }
  expect(sizes).toEqual([PIECE + 10, 50]);
  expect(ends).toEqual([null]);
  expect(state.closed).toBe(true);
});

test('DL-11: a download ends with its session, and when nobody reads it', async () => {
  const ended = aDownload(Array.from({ length: 9 }, () => PIECE));
  await ended.reader.read();
  await ended.clock.pass(SECONDS_15);
  expect((await ended.reader.read()).done).toBe(false);
  ended.state.mayGoOn = false;
  ended.clock.sleep(SECONDS_15);
  ended.clock.wake();
  await expect(
    (async () => {
      for (;;) await ended.reader.read();
    })(),
  ).rejects.toThrow('The session has ended.');
  await expect.poll(() => ended.state.closed).toBe(true);
  expect(ended.ends).toHaveLength(1);

  const left = aDownload(Array.from({ length: 9 }, () => PIECE));
  await left.reader.read();
  left.clock.sleep(5 * 60_000 + 1);
  left.clock.wake();
  await expect(left.reader.closed).rejects.toThrow('Nobody takes the file.');

  const cancelled = aDownload(Array.from({ length: 9 }, () => PIECE));
  await cancelled.reader.read();
  await cancelled.reader.cancel();
  await expect.poll(() => cancelled.state.closed).toBe(true);
  expect(cancelled.ends).toHaveLength(1);
});

test('DL-11: damaged content ends the download after the intact part', async () => {
  const { ends, reader } = aDownload([
    PIECE,
    new ContentError({ kind: 'damaged', message: 'A part is damaged.' }),
  ]);
  expect((await reader.read()).value).toHaveLength(PIECE);
  await expect(reader.read()).rejects.toThrow('A part is damaged.');
  expect(ends).toHaveLength(1);
});

test.skipIf(skipped !== '')(
  `G66: another reader finds the exact name in the header of a download, whatever it is${skipped}`,
  () => {
    const pieces = fc.constantFrom(
      '"',
      '\\',
      ';',
      '%',
      "'",
      '\r\nX: y',
      '\n',
      '/',
      ':',
      'ß',
      '💾',
      'é',
      '*',
      ' ',
      'a',
      '.',
      '=',
      ',',
      '(',
      '\u0000',
      '\u202e',
      '%22',
      "''",
    );
    const names = fc.sample(
      fc.array(pieces, { minLength: 1, maxLength: 14 }).map((parts) => parts.join('')),
      { numRuns: 500, seed: 66 },
    );
    const headers = names.map(contentDisposition);
    for (const header of headers) {
      expect(header).toMatch(
        /^attachment; filename="[^"\\\r\n%]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]*$/,
      );
      expect(header).toMatch(/^[\x20-\x7e]*$/);
    }
    // RFC 8187 by hand of another language: the charset, the language, the escaped bytes.
    const read = execFileSync(
      'python3',
      [
        '-c',
        'import json,sys,urllib.parse\nprint(json.dumps([urllib.parse.unquote_to_bytes(h.split("filename*=UTF-8\\\'\\\'")[1]).decode() for h in json.load(sys.stdin)]))',
      ],
      { input: JSON.stringify(headers), encoding: 'utf8' },
    );
    expect(JSON.parse(read)).toEqual(names);
  },
);
