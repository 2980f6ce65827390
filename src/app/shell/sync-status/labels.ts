import { formatList } from '#contract/i18n/list.ts';
import type { Ms } from '#contract/ids.ts';
import type { SyncStatus } from '#workers/api.ts';
import type { IconName } from '../../../ui/icon.tsx';
import {
  formatCount,
  formatDate,
  formatRecent,
  formatTime,
  formatWhen,
} from '../../../ui/format.ts';
import { syncMessages as t } from '../sync.messages.en.ts';

/** The sync state in short: a bold lead, the rest of the text, and how prominently to show it. */
export interface Glance {
  readonly icon: IconName;
  readonly tone: 'well' | 'busy' | 'trouble';
  readonly lead: string;
  readonly rest: string;
}

/**
 * Returns the sync state in short. The most severe state comes first; waiting and rejected changes
 * are always included. `isShort`: only the time if everything is well.
 */
export function getGlance(status: SyncStatus, zone: string, now: Ms, isShort = false): Glance {
  const first = getMostSevere(status, zone, now, isShort);
  const also = [
    status.refused > 0 ? t.refusedCount({ count: formatCount(status.refused) }) : '',
    status.partly > 0 ? t.partlyCount({ count: formatCount(status.partly) }) : '',
    status.waiting > 0 ? t.waitingCount({ count: formatCount(status.waiting) }) : '',
  ].filter((part) => part !== '');
  const isAway = status.kind === 'offline' || status.kind === 'server-trouble';
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
    rest: formatList(rest, 'plain'),
  };
}

/**
 * Returns the screen reader announcement of the state. It contains no times, because they would
 * change and be announced without a change of state.
 */
export function spokenSync(status: SyncStatus, zone: string, now: Ms): string {
  const { lead } = getGlance({ ...status, syncedAt: null }, zone, now);
  const parts = [
    lead,
    status.waiting > 0 ? t.changesWaiting({ count: status.waiting }) : '',
    status.refused > 0 ? t.changesRefused({ count: status.refused }) : '',
    status.partly > 0 ? t.changesPartly({ count: status.partly }) : '',
  ];
  return formatList(
    parts.filter((part) => part !== ''),
    'plain',
  );
}

function getMostSevere(status: SyncStatus, zone: string, now: Ms, isShort: boolean): Glance {
  if (status.reload || status.kind === 'update-needed')
    return { icon: 'sync', tone: 'trouble', lead: t.newVersion, rest: t.reloadPage };
  if (status.storage === 'full')
    return {
      icon: 'warning',
      tone: 'trouble',
      lead: t.deviceFull,
      rest: t.changesNotSaved,
    };
  switch (status.kind) {
    case 'offline':
      return {
        icon: 'offline',
        tone: 'trouble',
        lead:
          status.offlineSince === null
            ? t.offline
            : t.offlineSince({ time: formatRecent(status.offlineSince, zone, now) }),
        rest: remembered(status, zone),
      };
    case 'server-trouble':
      return {
        icon: 'warning',
        tone: 'trouble',
        lead:
          status.offlineSince === null
            ? t.serverTrouble
            : t.serverTroubleSince({ time: formatRecent(status.offlineSince, zone, now) }),
        rest: remembered(status, zone),
      };
    case 'signed-out':
      return { icon: 'lock', tone: 'trouble', lead: t.signedOut, rest: '' };
    case 'catching-up':
      return {
        icon: 'sync',
        tone: 'busy',
        lead: t.catchingUp,
        rest: status.left > 0 ? t.recordsLeft({ count: formatCount(status.left) }) : '',
      };
    case 'live': {
      if (status.storage === 'memory')
        return { icon: 'warning', tone: 'trouble', lead: t.live, rest: t.notStoredShort };
      return {
        icon: 'sync',
        tone: 'well',
        lead: t.live,
        rest: status.syncedAt === null ? '' : liveWords(formatTime(status.syncedAt, zone), isShort),
      };
    }
  }
}

const liveWords = (time: string, isShort: boolean): string =>
  isShort ? time : t.syncedAt({ time });

/**
 * Returns the age of the data if it is older than the loss of the network, that is, if the page was
 * opened offline.
 */
function remembered({ syncedAt, offlineSince }: SyncStatus, zone: string): string {
  if (syncedAt === null || (offlineSince !== null && offlineSince - syncedAt < 60_000)) return '';
  const sameDay =
    offlineSince !== null && formatDate(syncedAt, zone) === formatDate(offlineSince, zone);
  return t.dataOf({ time: sameDay ? formatTime(syncedAt, zone) : formatWhen(syncedAt, zone) });
}
