import { expect, test } from 'vitest';
import { HELP } from '#src/features/daily-checks/help.ts';
import {
  COMMANDS,
  getCommand,
  needsActions,
} from '#src/features/daily-checks/keyboard-shortcuts.ts';

const press = (key: string, held: readonly ('shift' | 'ctrl' | 'meta' | 'alt')[] = []) =>
  getCommand({
    key,
    shiftKey: held.includes('shift'),
    ctrlKey: held.includes('ctrl'),
    metaKey: held.includes('meta'),
    altKey: held.includes('alt'),
  });

test('DAY-8: each key runs its command', () => {
  expect(
    ['j', 'k', 'ArrowDown', 'ArrowUp', 'x', 'Enter', 'Escape', 'e', 's', 'n', 'f', 'r'].map((key) =>
      press(key),
    ),
  ).toEqual([
    'next',
    'previous',
    'next',
    'previous',
    'select',
    'open',
    'back',
    'review',
    'snooze',
    'note',
    'facets',
    'refresh',
  ]);
  expect([
    press('J', ['shift']),
    press('K', ['shift']),
    press('E', ['shift']),
    press('?', ['shift']),
    press('?'),
  ]).toEqual(['extend-next', 'extend-previous', 'review-with', 'help', 'help']);
  expect([press('a', ['ctrl']), press('a', ['meta'])]).toEqual(['select-all', 'select-all']);
});

test('DAY-8: the browser keeps its own: no command for Ctrl R, Ctrl F, Alt and unknown keys', () => {
  expect([
    press('r', ['ctrl']),
    press('f', ['meta']),
    press('n', ['ctrl']),
    press('j', ['alt']),
    press('q'),
    press('u'),
    press('/'),
    press('Tab'),
    press('S', ['shift']),
  ]).toEqual([null, null, null, null, null, null, null, null, null]);
});

test('DAY-9: commands that change data are marked, in the table and on the help sheet', () => {
  expect(
    (['review', 'snooze', 'note', 'select', 'select-all', 'extend-next'] as const).every(
      needsActions,
    ),
  ).toBe(true); // without an action there is nothing to select for
  expect((['next', 'open', 'back', 'refresh'] as const).some(needsActions)).toBe(false);
  expect(HELP.filter((line) => line.requiresActions).flatMap((line) => line.keys)).toEqual([
    'X',
    'Space',
    '⇧J',
    '⇧K',
    '⌘A',
    'E',
    '⇧E',
    'S',
    'N',
    'T',
    'U',
  ]);
});

test('DAY-8: the help sheet has a key for every command, and no unknown key', () => {
  const pressed: Readonly<Record<string, Parameters<typeof press>>> = {
    'PgUp': ['PageUp'],
    'PgDn': ['PageDown'],
    'Space': [' '],
    '←': ['ArrowLeft'],
    '→': ['ArrowRight'],
    'Esc': ['Escape'],
    '⌘A': ['a', ['meta']],
    '⇧J': ['J', ['shift']],
    '⇧K': ['K', ['shift']],
    '⇧E': ['E', ['shift']],
  };
  const elsewhere = ['U', '/', 'G D', 'G C', 'G J', '⌘K'];
  const keys = HELP.flatMap((line) => line.keys);
  const means = keys.map((key) => press(...(pressed[key] ?? [key])));
  expect(keys.filter((_, i) => means[i] === null)).toEqual(elsewhere);
  expect(new Set(means.filter((one) => one !== null))).toEqual(new Set(COMMANDS));
});
