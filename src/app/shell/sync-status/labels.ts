import type { SyncStatus } from '#workers/api.ts';
import type { IconName } from '../../../ui/icon.tsx';
import { formatCount, formatDate, formatTime, formatWhen, plural } from '../../../ui/format.ts';

/**
 * The state of sync at a glance: a bold word, what follows it, and how much it wants to be seen.
 */
export interface Glance {
  readonly icon: IconName;
  readonly tone: 'well' | 'busy' | 'trouble';
  readonly lead: string;
  readonly rest: string;
}

/** What is worst is said first; what waits or was refused is never left out. */
export function glanceOf(status: SyncStatus, zone: string): Glance {
  const first = leadOf(status, zone);
  const also = [
    status.refused > 0 ? `${formatCount(status.refused)} not accepted` : '',
    status.partly > 0 ? `${formatCount(status.partly)} accepted in part` : '',
    status.waiting > 0 ? `${formatCount(status.waiting)} waiting` : '',
  ].filter((part) => part !== '');
  const isAway = status.is === 'offline' || status.is === 'server-trouble';
  const rest =
    first.rest === ''
      ? also
      : also.length > 0 && first.tone === 'well'
        ? also
        : isAway
          ? [...also, first.rest]
          : [first.rest, ...also];
  const tone = status.refused + status.partly > 0 ? 'trouble' : first.tone;
  return {
    ...first,
    tone,
    icon: tone === 'trouble' && first.tone !== 'trouble' ? 'warning' : first.icon,
    rest: rest.join(', '),
  };
}

/**
 * What a screen reader is told when it changes: no times, which would change without anything
 * having happened.
 */
export function spokenSync(status: SyncStatus, zone: string): string {
  const { lead } = glanceOf({ ...status, syncedAt: null }, zone);
  const parts = [
    lead,
    status.waiting > 0 ? `${plural(status.waiting, 'change')} waiting` : '',
    status.refused > 0 ? `${plural(status.refused, 'change')} not accepted` : '',
    status.partly > 0 ? `${plural(status.partly, 'change')} accepted in part` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function leadOf(status: SyncStatus, zone: string): Glance {
  if (status.reload || status.is === 'update-needed')
    return { icon: 'sync', tone: 'trouble', lead: 'New version', rest: 'reload' };
  if (status.storage === 'full')
    return {
      icon: 'warning',
      tone: 'trouble',
      lead: 'Device full',
      rest: 'changes cannot be kept',
    };
  switch (status.is) {
    case 'offline':
      return {
        icon: 'offline',
        tone: 'trouble',
        lead:
          status.offlineSince === null
            ? 'Offline'
            : `Offline since ${formatTime(status.offlineSince, zone)}`,
        rest: remembered(status, zone),
      };
    case 'server-trouble':
      return {
        icon: 'warning',
        tone: 'trouble',
        lead:
          status.offlineSince === null
            ? 'Server trouble'
            : `Server trouble since ${formatTime(status.offlineSince, zone)}`,
        rest: remembered(status, zone),
      };
    case 'signed-out':
      return { icon: 'lock', tone: 'trouble', lead: 'Signed out', rest: '' };
    case 'catching-up':
      return {
        icon: 'sync',
        tone: 'busy',
        lead: 'Catching up',
        rest: status.left > 0 ? `${formatCount(status.left)} left` : '',
      };
    case 'live': {
      if (status.storage === 'memory')
        return { icon: 'warning', tone: 'trouble', lead: 'Live', rest: 'not kept on this device' };
      return {
        icon: 'sync',
        tone: 'well',
        lead: 'Live',
        rest: status.syncedAt === null ? '' : `synced ${formatTime(status.syncedAt, zone)}`,
      };
    }
  }
}

/**
 * Of when the rows are, where that is not the moment at which the network went: the page was opened
 * without one.
 */
function remembered({ syncedAt, offlineSince }: SyncStatus, zone: string): string {
  if (syncedAt === null || (offlineSince !== null && offlineSince - syncedAt < 60_000)) return '';
  const sameDay =
    offlineSince !== null && formatDate(syncedAt, zone) === formatDate(offlineSince, zone);
  return `data of ${sameDay ? formatTime(syncedAt, zone) : formatWhen(syncedAt, zone)}`;
}
