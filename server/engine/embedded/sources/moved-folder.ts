import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { PathPart } from '../types.ts';

export const joinTexts = (...texts: readonly (string | null)[]): string | null =>
  texts.filter((text) => text !== null).join(' ') || null;

/** Whether the names from the top to a folder are still those of a path. */
export const isInPlace = (now: readonly string[], path: readonly PathPart[]): boolean =>
  now.length === path.length &&
  path.every(({ name }, depth) => name.toLowerCase() === now[depth]?.toLowerCase());

/**
 * Says where a folder is now that has left its path. `hasOther`: another folder has the path, and gets
 * what is restored there. Otherwise, a new one is created.
 */
export function describeMove(
  now: readonly string[],
  path: readonly PathPart[],
  hasOther: boolean,
): string {
  const names = { now: now.join('/'), former: path.map(({ name }) => name).join('/') };
  return hasOther ? t.folderMovedBeside(names) : t.folderMoved(names);
}
