import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { PEOPLE } from '#contract/messages/people.messages.en.ts';

const CODE = ['src', 'server', 'workers', 'machines']
  .flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => readFileSync(join(room, path), 'utf8')),
  )
  .join('\n');
const SENTENCES = readFileSync('contract/call-sentences.ts', 'utf8');

const isUsed = (key: string): boolean =>
  new RegExp(String.raw`\b(MESSAGES|BASE|ACCOUNT|PEOPLE)\.${key}\b`).test(CODE) ||
  SENTENCES.includes(`: '${key}',`);

test('WORDS-1: every message of the catalog about accounts, users and companies is used somewhere', () => {
  expect(
    [...Object.keys(BASE), ...Object.keys(ACCOUNT), ...Object.keys(PEOPLE)].filter(
      (key) => !isUsed(key),
    ),
  ).toEqual([]);
  expect(isUsed('nobodySaysThis')).toBe(false);
});
