import type { CollectionOut, ConnectionOut } from '#contract/connections/calls.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { formatCount, plural } from '#src/ui/format.ts';

export interface Shown {
  readonly word: string;
  readonly icon: IconName;
  readonly text: string;
}

export const COLLECTION_STATES: Readonly<Record<CollectionOut['status'], Shown>> = {
  waiting: { word: 'Waiting', icon: 'clock', text: 'text-ink-2' },
  running: { word: 'Reading', icon: 'running', text: 'text-running' },
  succeeded: { word: 'Read', icon: 'success', text: 'text-success' },
  failed: { word: 'Failed', icon: 'failed', text: 'text-failed font-semibold' },
};

/** A connection in one word: the worst of what it reads. */
export function stateOf({
  enabled,
  collections,
}: Pick<ConnectionOut, 'enabled' | 'collections'>): Shown {
  if (!enabled) return { word: 'Off', icon: 'minus', text: 'text-ink-3' };
  const failed = collections.filter(({ fails }) => fails > 0).length;
  if (failed > 0)
    return {
      word:
        failed === collections.length ? 'Nothing can be read' : `${plural(failed, 'part')} failed`,
      icon: 'failed',
      text: 'text-failed font-semibold',
    };
  if (collections.some(({ status }) => status === 'running'))
    return { word: 'Reading', icon: 'running', text: 'text-running' };
  return collections.every(({ succeededAt }) => succeededAt !== null)
    ? { word: 'Read', icon: 'success', text: 'text-success' }
    : { word: 'Waiting', icon: 'clock', text: 'text-ink-2' };
}

/** What a part holds, in words: rows, and those that belong to nobody here. */
export function rowsWords({
  rows,
  unlinked,
  succeededAt,
}: Pick<CollectionOut, 'rows' | 'unlinked' | 'succeededAt'>): string {
  if (succeededAt === null) return '';
  return unlinked === 0
    ? formatCount(rows)
    : `${formatCount(rows)}, ${formatCount(unlinked)} of no company here`;
}
