import type { BackupProxyRow } from '#contract/backup/repositories.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { StateLabel } from '../state-label.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** `health` null: not known, offline for example. */
export function getProxyState(
  { maintenance }: Pick<BackupProxyRow, 'maintenance'>,
  health: Pick<OutputOf<'listProxies'>['rows'][number], 'state'> | null,
): StateLabel {
  if (health?.state === 'offline') return { label: t.offline, icon: 'failed', text: 'text-failed' };
  if (health?.state === 'draining')
    return { label: t.draining, icon: 'warning', text: 'text-warning' };
  if (maintenance) return { label: t.maintenance, icon: 'warning', text: 'text-warning' };
  if (health === null) return { label: t.notKnown, icon: 'computer', text: 'text-ink-3' };
  return { label: t.available, icon: 'success', text: 'text-success' };
}
