import { expect, test } from 'vitest';
import { readVersions } from '#server/engine/embedded/attach/lines.ts';
import { getValue } from './restic/fixtures.ts';

const CHANNEL = '19:quay@thread.tacv2';

test('ENG-141, ENG-4: a post that is described by the id of its message alone is known by its channel, too', async () => {
  const lines = ['1792000000000', `post:${CHANNEL}/1792000000001`].map((key, at) =>
    JSON.stringify({ item: { ...POST, key, n: at + 1 } }),
  );
  const { items } = getValue(
    await readVersions(
      { readBlob: () => Promise.resolve({ ok: true, value: Buffer.from(lines.join('\n')) }) },
      {
        kind: 'file',
        name: '.daybook.jsonl',
        content: ['a'.repeat(64)],
        sizeBytes: 1,
        modifiedAt: 0,
      },
    ),
  );
  expect(items.map(({ n, key }) => [n, key])).toEqual([
    [1, `post:${CHANNEL}/1792000000000`],
    [2, `post:${CHANNEL}/1792000000001`],
  ]);
});

const POST = {
  folder: CHANNEL,
  changeKey: 'state',
  kind: 'post',
  title: 'Tide tables',
  people: 'Ann Chovey',
  at: 1_792_000_000_000,
  changedAt: 1_792_000_000_000,
  bytes: 9,
  flags: {},
  parts: [],
  fromPoint: 1,
};
