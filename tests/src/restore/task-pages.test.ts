import { expect, test } from 'vitest';
import type { ListedTask } from '#src/features/restore/history/task-labels.ts';
import { joinTasks } from '#src/features/restore/history/use-tasks.ts';

const tasks = (state: ListedTask['state'], ...ids: string[]): ListedTask[] =>
  ids.map((id) => ({ id, state }) as ListedTask);
const names = (rows: readonly ListedTask[]): string =>
  rows.map(({ id, state }) => `${id} ${state}`).join(', ');

test('RES-37: pages of restores list each one once, with its latest state, though new ones begin', () => {
  const first = tasks('running', 'd', 'c');
  const page = tasks('done', 'b', 'a');
  const older = joinTasks(first, joinTasks([], page));
  // Pressed twice: the same page again.
  const again = joinTasks(first, joinTasks(older, page));
  expect(names(joinTasks(first, again))).toBe('d running, c running, b done, a done');
  // A new task displaces `c` from the first page, and `d` is done.
  const later = [...tasks('running', 'e'), ...tasks('done', 'd')];
  expect(names(joinTasks(later, again))).toBe('e running, d done, c running, b done, a done');
});
