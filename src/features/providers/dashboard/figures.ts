import { ROLES } from '#contract/abilities.ts';
import type { Role } from '#contract/abilities.ts';
import type {
  BackupHealth,
  ProviderOverview,
  StorageOverview,
  SubscriptionFigures,
} from '#contract/providers/admin-calls.ts';
import type { Ms } from '#contract/ids.ts';
import { formatAge, formatBytes, formatCount } from '#src/ui/format.ts';
import { adminOverviewMessages as t } from './messages.en.ts';

/** An issue that needs attention. `failed` comes before `warning`. */
export interface ProviderIssue {
  readonly key: string;
  readonly tone: 'failed' | 'warning';
  readonly label: string;
  readonly title: string;
  readonly detail: string;
  readonly provider: string;
  readonly at: Ms | null;
}

/**
 * Returns the issues of the server's disk: too little space, or changes that are not flushed to it.
 * Empty if the database is on another machine.
 */
export function storageTroubles(storage: StorageOverview | null): readonly ProviderIssue[] {
  if (storage === null) return [];
  return [...spaceTroubles(storage), ...(storage.flushes ? [] : [NOT_FLUSHED])];
}

const NOT_FLUSHED: ProviderIssue = {
  key: 'flush',
  tone: 'warning',
  label: t.atRisk,
  title: t.notFlushed,
  detail: t.notFlushedDetail,
  provider: t.server,
  at: null,
};

function spaceTroubles(storage: StorageOverview): readonly ProviderIssue[] {
  if (storage.state === 'ok') return [];
  const free = t.diskFreeSentence({
    free: formatBytes(storage.freeBytes),
    total: formatBytes(storage.totalBytes),
  });
  const detail =
    storage.state === 'low' ? t.diskLow({ floor: formatBytes(storage.floorBytes) }) : t.diskFull;
  return [
    {
      key: 'storage',
      tone: 'failed',
      label: t.paused,
      title: t.outOfDiskSpace,
      detail: `${free} ${detail}`,
      provider: t.server,
      at: null,
    },
  ];
}

/** A message that waits longer than this counts as stuck. */
const WAITED: Ms = 3_600_000;
/** A provider whose sources have not reported for this long counts as silent. */
const SILENT: Ms = 86_400_000;

/** Returns the issues of all providers, worst first, then newest first. */
export function countTroubles(
  providers: readonly ProviderOverview[],
  now: Ms,
): readonly ProviderIssue[] {
  const all = providers.flatMap(({ _id: id, ...one }): ProviderIssue[] => [
    ...one.sync.failed.map((error, i): ProviderIssue => ({
      key: `${id}:source:${i}`,
      tone: 'failed',
      label: t.failed,
      title: t.source({ source: error.entity }),
      detail: error.message,
      provider: one.name,
      at: error.at,
    })),
    ...((one.log?.damagedParts ?? 0) > 0
      ? [
          {
            key: `${id}:log`,
            tone: 'failed',
            label: t.damaged,
            title: t.logDamaged,
            detail: t.logDamagedDetail,
            provider: one.name,
            at: one.log?.checkedAt ?? null,
          } as const,
        ]
      : []),
    ...((one.backup?.damaged ?? 0) > 0
      ? [
          {
            key: `${id}:damaged`,
            tone: 'failed',
            label: t.damaged,
            title: t.repositoriesDamaged,
            detail: t.damagedDetail,
            provider: one.name,
            at: null,
          } as const,
        ]
      : []),
    ...(one.outgoing.failed > 0
      ? [
          {
            key: `${id}:not-sent`,
            tone: 'failed',
            label: t.notSent,
            title: t.messagesNotSent({ count: one.outgoing.failed }),
            detail: t.notSentHint,
            provider: one.name,
            at: null,
          } as const,
        ]
      : []),
    ...(one.outgoing.oldest !== null && now - one.outgoing.oldest > WAITED
      ? [
          {
            key: `${id}:waiting`,
            tone: 'warning',
            label: t.waiting,
            title: t.messagesWaiting({ count: one.outgoing.waiting }),
            detail: t.oldestMessage({ age: formatAge(one.outgoing.oldest, now) }),
            provider: one.name,
            at: one.outgoing.oldest,
          } as const,
        ]
      : []),
    ...(one.ingest.refusedAt !== null
      ? [
          {
            key: `${id}:quota`,
            tone: 'failed',
            label: t.rejected,
            title: t.resultLimitReached,
            detail: t.quotaUsed({
              used: formatBytes(one.ingest.bytes),
              limit: formatBytes(one.ingest.limitBytes),
            }),
            provider: one.name,
            at: one.ingest.refusedAt,
          } as const,
        ]
      : []),
    ...(one.ingest.logsDropped > 0
      ? [
          {
            key: `${id}:logs`,
            tone: 'warning',
            label: t.noLogs,
            title: t.logsNotStored({ count: one.ingest.logsDropped }),
            detail: t.logLimitReached,
            provider: one.name,
            at: null,
          } as const,
        ]
      : []),
    ...(one.quarantine > 0
      ? [
          {
            key: `${id}:quarantine`,
            tone: 'warning',
            label: t.quarantined,
            title: t.recordsInQuarantine({ count: one.quarantine }),
            detail: t.quarantineHint,
            provider: one.name,
            at: null,
          } as const,
        ]
      : []),
    ...(one.sync.sources > 0 && now - (one.sync.at ?? 0) > SILENT
      ? [
          {
            key: `${id}:silent`,
            tone: 'warning',
            label: t.silent,
            title: t.sourcesSilent,
            detail:
              one.sync.at === null
                ? t.neverReported
                : t.lastResult({ age: formatAge(one.sync.at, now) }),
            provider: one.name,
            at: one.sync.at,
          } as const,
        ]
      : []),
  ]);
  return all.toSorted(
    (a, b) =>
      Number(a.tone === 'warning') - Number(b.tone === 'warning') || (b.at ?? 0) - (a.at ?? 0),
  );
}

/** A figure and its label. */
export interface ProviderFigure {
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

/** Returns totals of all providers. */
export function getProviderFigures(
  providers: readonly ProviderOverview[],
): readonly ProviderFigure[] {
  const sum = (of: (one: ProviderOverview) => number): string =>
    formatCount(providers.reduce((total, one) => total + of(one), 0));
  return [
    { name: t.users, value: sum(({ active }) => active), description: t.usersHint },
    {
      name: t.signedInNow,
      value: sum(({ signedIn }) => signedIn),
      description: t.signedInHint,
    },
    { name: t.companies, value: sum(({ companies }) => companies), description: t.companiesHint },
    { name: t.jobs, value: sum(({ jobs }) => jobs), description: t.jobsHint },
    {
      name: t.resultsLastHour,
      value: sum(({ ingest }) => ingest.hour),
      description: t.resultsHourHint,
    },
    {
      name: t.resultsLastDay,
      value: sum(({ ingest }) => ingest.day),
      description: t.resultsDayHint,
    },
    {
      name: t.toBeSent,
      value: sum(({ outgoing }) => outgoing.waiting),
      description: t.toBeSentHint,
    },
    { name: t.events, value: sum(({ events }) => events), description: t.eventsHint },
  ];
}

/** Returns the state of Microsoft 365 backup over all providers; empty for a server of the version before. */
export function getBackupFigures(
  providers: readonly ProviderOverview[],
): readonly ProviderFigure[] {
  const health = providers.flatMap(({ backup }) => backup ?? []);
  if (health.length === 0) return [];
  const sum = (of: (one: BackupHealth) => number): string =>
    formatCount(health.reduce((total, one) => total + of(one), 0));
  return [
    { name: t.queued, value: sum(({ queued }) => queued), description: t.queuedHint },
    { name: t.inWork, value: sum(({ running }) => running), description: t.inWorkHint },
    { name: t.throttled, value: sum(({ waiting }) => waiting), description: t.throttledHint },
    { name: t.damaged, value: sum(({ damaged }) => damaged), description: t.damagedHint },
  ];
}

/** Returns the subscriptions of all providers. */
export function getSubscriptionFigures(
  providers: readonly ProviderOverview[],
): readonly ProviderFigure[] {
  const figures = providers.flatMap(({ subscriptions }) => subscriptions ?? []);
  if (figures.length === 0) return [];
  const sum = (of: (one: SubscriptionFigures) => number): string =>
    formatCount(figures.reduce((total, one) => total + of(one), 0));
  return [
    { name: t.active, value: sum(({ active }) => active), description: t.activeHint },
    { name: t.pending, value: sum(({ pending }) => pending), description: t.pendingHint },
    { name: t.unpaid, value: sum(({ unpaid }) => unpaid), description: t.unpaidHint },
    { name: t.stopped, value: sum(({ stopped }) => stopped), description: t.stoppedHint },
  ];
}

/**
 * Returns the number of users per role over all providers. A user with two roles counts in both.
 * Unused roles are left out.
 */
export function roleCounts(
  providers: readonly ProviderOverview[],
): readonly { readonly role: Role; readonly users: number }[] {
  return ROLES.map((role) => ({
    role,
    users: providers.reduce(
      (total, { users }) => total + (users.find((one) => one.role === role)?.users ?? 0),
      0,
    ),
  }))
    .filter(({ users }) => users > 0)
    .toSorted((a, b) => b.users - a.users);
}
