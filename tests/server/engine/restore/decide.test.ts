import { expect, test } from 'vitest';
import { decideWrite } from '#server/engine/embedded/restore/decide.ts';

const other = { key: 'k', changeKey: 'c', isSame: false };

const decideFor = (onConflict: 'skip' | 'replace' | 'keep-both', kind: 'post' | 'file') => {
  const decision = decideWrite({ select: 'both', onConflict }, other, kind);
  return decision.do === 'skip' ? 'skip' : { replaces: decision.replaces !== null };
};

test('RES-48: a post that differs in the target is left, or written beside it, and never replaced', () => {
  expect(decideFor('replace', 'file')).toEqual({ replaces: true });
  expect(decideFor('replace', 'post')).toBe('skip');
  expect(decideFor('skip', 'post')).toBe('skip');
  expect(decideFor('keep-both', 'post')).toEqual({ replaces: false });
});
