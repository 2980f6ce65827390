import { expect, test } from 'vitest';
import { type ComparedSide, getDifference } from '#server/engine/embedded/compare/difference.ts';

const mail: ComparedSide = {
  key: 'm1',
  changeKey: 'v1',
  folder: 'inbox',
  folderName: 'Inbox',
  kind: 'mail',
  title: 'Canary of the subject',
  people: 'Ann <ann@example.com>',
  at: 1_000_000,
  changedAt: 1_000_000,
  bytes: 500,
  flags: { read: true, categories: ['Canary of the category'] },
};
const file: ComparedSide = {
  ...mail,
  kind: 'file',
  title: 'Plan.docx',
  people: 'Ann',
  flags: { hash: 'quickXor:1' },
};
const differing = (before: ComparedSide, now: ComparedSide) => {
  const { state, content, properties } = getDifference(before, now, true);
  return [state, content, properties.filter(({ isSame }) => !isSame).map(({ name }) => name)];
};

test('RES-82: what differs decides what became of an item', () => {
  expect(differing(mail, mail)).toEqual(['same', 'same', []]);
  // Only reading it tells whether the text of another version is the same.
  expect(differing(mail, { ...mail, changeKey: 'v2' })).toEqual(['same', 'unknown', []]);
  expect(differing(mail, { ...mail, changeKey: 'v2', folder: 'x', folderName: 'Old' })).toEqual([
    'moved',
    'unknown',
    ['folder'],
  ]);
  expect(
    differing(mail, {
      ...mail,
      changeKey: 'v2',
      folder: 'x',
      flags: { ...mail.flags, read: false },
    }),
  ).toEqual(['changed', 'unknown', ['folder', 'read']]);
  expect(getDifference(mail, null, true)).toMatchObject({
    state: 'deleted',
    productionBytes: null,
  });
  // Created again by a restore, in a folder that was created again.
  expect(
    differing(mail, { ...mail, key: 'm2', changeKey: 'v9', folder: 'y', at: 1_000_400 }),
  ).toEqual(['same', 'unknown', []]);
  // A file is what its bytes and name are; who saved it last is only shown.
  expect(differing(file, { ...file, changeKey: 'v2', people: 'Daybook' })).toEqual([
    'same',
    'same',
    [],
  ]);
  expect(differing(file, { ...file, changeKey: 'v2', flags: { hash: 'quickXor:2' } })).toEqual([
    'changed',
    'changed',
    [],
  ]);
});

test('RES-82, RES-53: whoever may not read sees that an item has changed, but no subject, category or content', () => {
  const now = {
    ...mail,
    changeKey: 'v2',
    title: 'Another canary',
    flags: { read: true, categories: [] },
  };
  const hidden = getDifference(mail, now, false);
  expect(hidden).toMatchObject({ state: 'changed', content: 'hidden' });
  expect(JSON.stringify(hidden)).not.toMatch(/canary/i);
  expect(JSON.stringify(getDifference(mail, null, false))).not.toMatch(/canary/i);
  // The names of files are shown: without those nobody could choose any.
  expect(JSON.stringify(getDifference(file, file, false))).toContain('Plan.docx');
});
