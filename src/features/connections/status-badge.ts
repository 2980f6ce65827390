import type { CollectionOut, ConnectionOut } from '#contract/connections/calls.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { formatCount } from '#src/ui/format.ts';
import { connectionMessages as t } from './messages.en.ts';

export interface Shown {
  readonly word: string;
  readonly icon: IconName;
  readonly text: string;
}

export const COLLECTION_STATES: Readonly<Record<CollectionOut['status'], Shown>> = {
  waiting: { word: t.waiting, icon: 'clock', text: 'text-ink-2' },
  running: { word: t.reading, icon: 'running', text: 'text-running' },
  succeeded: { word: t.read, icon: 'success', text: 'text-success' },
  failed: { word: t.failed, icon: 'failed', text: 'text-failed font-semibold' },
};

/** Returns the status of a connection: the worst of its parts. */
export function stateOf({
  enabled,
  collections,
}: Pick<ConnectionOut, 'enabled' | 'collections'>): Shown {
  if (!enabled) return { word: t.off, icon: 'minus', text: 'text-ink-3' };
  const failed = collections.filter(({ fails }) => fails > 0).length;
  if (failed > 0)
    return {
      word: failed === collections.length ? t.allFailed : t.partsFailed({ count: failed }),
      icon: 'failed',
      text: 'text-failed font-semibold',
    };
  if (collections.some(({ status }) => status === 'running'))
    return { word: t.reading, icon: 'running', text: 'text-running' };
  return collections.every(({ succeededAt }) => succeededAt !== null)
    ? { word: t.read, icon: 'success', text: 'text-success' }
    : { word: t.waiting, icon: 'clock', text: 'text-ink-2' };
}

/** Describes the content of a part: rows, and rows that no company matches. */
export function rowsText({
  rows,
  unlinked,
  succeededAt,
}: Pick<CollectionOut, 'rows' | 'unlinked' | 'succeededAt'>): string {
  if (succeededAt === null) return '';
  return unlinked === 0
    ? formatCount(rows)
    : t.rowsUnlinked({ rows: formatCount(rows), unlinked: formatCount(unlinked) });
}
