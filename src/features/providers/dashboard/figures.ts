import { ROLES } from '#contract/abilities.ts';
import type { Role } from '#contract/abilities.ts';
import type { ProviderOverview, ServerStorage } from '#contract/providers/admin-calls.ts';
import type { Ms } from '#contract/ids.ts';
import { formatAge, formatBytes, formatCount, plural } from '#src/ui/format.ts';

/** Something that wants to be looked at. `failed` comes before `warning`. */
export interface Trouble {
  readonly key: string;
  readonly tone: 'failed' | 'warning';
  readonly word: string;
  readonly title: string;
  readonly detail: string;
  readonly provider: string;
  readonly at: Ms | null;
}

/**
 * What is the matter with the disk of the server; nothing where it has space enough, or where the
 * database is elsewhere.
 */
export function storageTroubles(storage: ServerStorage | null): readonly Trouble[] {
  if (storage === null || storage.state === 'ok') return [];
  const free = `${formatBytes(storage.freeBytes)} of ${formatBytes(storage.totalBytes)} are free.`;
  const detail =
    storage.state === 'low'
      ? `Only sign-ins are stored until ${formatBytes(storage.floorBytes)} are free. Sources send their results again later.`
      : 'Nothing is stored. Free some space on the disk of the data folder.';
  return [
    {
      key: 'storage',
      tone: 'failed',
      word: 'Paused',
      title: 'The server is out of disk space',
      detail: `${free} ${detail}`,
      provider: 'Server',
      at: null,
    },
  ];
}

/** Waiting longer than this, something is in the way of what is sent. */
const WAITED: Ms = 3_600_000;
/** A provider with sources that were not heard for so long is silent. */
const SILENT: Ms = 86_400_000;

/** What is the matter at all of the providers, worst first, newest first. */
export function troublesOf(providers: readonly ProviderOverview[], now: Ms): readonly Trouble[] {
  const all = providers.flatMap(({ _id: id, ...one }): Trouble[] => [
    ...one.sync.failed.map((fault, i): Trouble => ({
      key: `${id} source ${i}`,
      tone: 'failed',
      word: 'Failed',
      title: `Source ${fault.entity}`,
      detail: fault.message,
      provider: one.name,
      at: fault.at,
    })),
    ...(one.outgoing.failed > 0
      ? [
          {
            key: `${id} given up`,
            tone: 'failed',
            word: 'Not sent',
            title: `${plural(one.outgoing.failed, 'message')} given up`,
            detail: 'Mail or SMS that no gateway took after many tries.',
            provider: one.name,
            at: null,
          } as const,
        ]
      : []),
    ...(one.outgoing.oldest !== null && now - one.outgoing.oldest > WAITED
      ? [
          {
            key: `${id} waiting`,
            tone: 'warning',
            word: 'Waiting',
            title: `${plural(one.outgoing.waiting, 'message')} not sent yet`,
            detail: `The oldest was written ${formatAge(one.outgoing.oldest, now)}.`,
            provider: one.name,
            at: one.outgoing.oldest,
          } as const,
        ]
      : []),
    ...(one.ingest.refusedAt !== null
      ? [
          {
            key: `${id} quota`,
            tone: 'failed',
            word: 'Refused',
            title: 'The daily storage limit for results is used up',
            detail: `${formatBytes(one.ingest.bytes)} of ${formatBytes(one.ingest.limitBytes)} are stored today. Results are accepted again after midnight UTC.`,
            provider: one.name,
            at: one.ingest.refusedAt,
          } as const,
        ]
      : []),
    ...(one.ingest.logsDropped > 0
      ? [
          {
            key: `${id} logs`,
            tone: 'warning',
            word: 'No logs',
            title: `${plural(one.ingest.logsDropped, 'log')} not stored today`,
            detail:
              'The daily storage limit for logs is used up. Raise it in the provider settings.',
            provider: one.name,
            at: null,
          } as const,
        ]
      : []),
    ...(one.quarantine > 0
      ? [
          {
            key: `${id} quarantine`,
            tone: 'warning',
            word: 'Set aside',
            title: `${plural(one.quarantine, 'record')} in quarantine`,
            detail: 'Sent by a source, and not understood. They wait to be read again.',
            provider: one.name,
            at: null,
          } as const,
        ]
      : []),
    ...(one.sync.sources > 0 && now - (one.sync.at ?? 0) > SILENT
      ? [
          {
            key: `${id} silent`,
            tone: 'warning',
            word: 'Silent',
            title: 'No source was heard for a day',
            detail:
              one.sync.at === null
                ? 'None has reported yet.'
                : `Last heard ${formatAge(one.sync.at, now)}.`,
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

/** A figure with what it counts. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly says: string;
}

/** Of all providers together. */
export function figuresOf(providers: readonly ProviderOverview[]): readonly Figure[] {
  const sum = (of: (one: ProviderOverview) => number): string =>
    formatCount(providers.reduce((total, one) => total + of(one), 0));
  return [
    { name: 'Users', value: sum(({ active }) => active), says: 'accounts that are not deleted' },
    {
      name: 'Signed in now',
      value: sum(({ signedIn }) => signedIn),
      says: 'people with a session that goes on',
    },
    { name: 'Companies', value: sum(({ companies }) => companies), says: 'that are not deleted' },
    { name: 'Jobs', value: sum(({ jobs }) => jobs), says: 'that sources have told of' },
    {
      name: 'Results, last hour',
      value: sum(({ ingest }) => ingest.hour),
      says: 'ends of runs that came in',
    },
    {
      name: 'Results, last day',
      value: sum(({ ingest }) => ingest.day),
      says: 'in the last 24 hours',
    },
    {
      name: 'To be sent',
      value: sum(({ outgoing }) => outgoing.waiting),
      says: 'mail and SMS that wait',
    },
    { name: 'Events', value: sum(({ events }) => events), says: 'in the log since the beginning' },
  ];
}

/**
 * How many users hold each role, over all providers; who holds two is counted in both. Without
 * those that nobody holds.
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
