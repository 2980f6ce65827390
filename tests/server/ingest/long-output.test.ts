import { expect, test } from 'vitest';
import { parseJsonLines } from '#server/features/ingest/tools/tool-output.ts';
import { readRestic } from '#server/features/ingest/tools/restic.ts';
import { getRun } from './tool-output.ts';

test.each(['[', '{', '{}', 'a', ''])(
  'ING-18: of two million lines "%s" at most 100,000 are read, including the first and the last',
  (line) => {
    const { objects, text } = parseJsonLines(`first\n${`${line}\n`.repeat(2_000_000)}last\n`);
    expect([text[0], text.at(-1)]).toEqual(['first', 'last']);
    expect(objects.length + text.length).toBe(line === '' ? 2 : 100_000);
  },
);

test.each([
  ['with a line break at the end', '\n'],
  ['without a line break at the end', ''],
])('ING-18: 100,000 lines are all read; of one more, only the middle is left out, %s', (_, end) => {
  const lines = Array.from({ length: 100_001 }, (_unused, n) => `line ${n}`);
  expect(parseJsonLines(lines.slice(1).join('\n') + end).text).toEqual(lines.slice(1));
  expect(parseJsonLines(lines.join('\n') + end).text).toEqual(lines.toSpliced(50_000, 1));
});

test('ING-18: the errors at the start and the summary at the end of a very long output are read', () => {
  const body = `{"message_type":"error","error":{"message":"lstat: no such file"},"during":"archival","item":"/srv/a"}\n${'{\n'.repeat(1_500_000)}{"message_type":"summary","files_new":1,"total_duration":2,"snapshot_id":"5e1f00d5"}`;
  expect(getRun(readRestic, body)).toMatchObject({
    status: 'Warning',
    externalId: '5e1f00d5',
    filesFailed: 1,
  });
});
