import type { CollectionOut, ConnectionOut } from '#contract/connections/calls.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { formatCount } from '#src/ui/format.ts';
import { connectionMessages as t } from './messages.en.ts';

export interface StatusBadge {
  readonly label: string;
  readonly icon: IconName;
  readonly text: string;
}

export const COLLECTION_STATES: Readonly<Record<CollectionOut['status'], StatusBadge>> = {
  waiting: { label: t.waiting, icon: 'clock', text: 'text-ink-2' },
  running: { label: t.reading, icon: 'running', text: 'text-running' },
  succeeded: { label: t.read, icon: 'success', text: 'text-success' },
  failed: { label: t.failed, icon: 'failed', text: 'text-failed font-semibold' },
};

/** Returns the status of a connection: the worst of its parts. */
export function getConnectionState({
  enabled,
  collections,
}: Pick<ConnectionOut, 'enabled' | 'collections'>): StatusBadge {
  if (!enabled) return { label: t.off, icon: 'minus', text: 'text-ink-3' };
  const failed = collections.filter(({ fails }) => fails > 0).length;
  if (failed > 0)
    return {
      label: failed === collections.length ? t.allFailed : t.partsFailed({ count: failed }),
      icon: 'failed',
      text: 'text-failed font-semibold',
    };
  if (collections.some(({ status }) => status === 'running'))
    return { label: t.reading, icon: 'running', text: 'text-running' };
  return collections.every(({ succeededAt }) => succeededAt !== null)
    ? { label: t.read, icon: 'success', text: 'text-success' }
    : { label: t.waiting, icon: 'clock', text: 'text-ink-2' };
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
