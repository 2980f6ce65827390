import type { PreferenceRow } from '#contract/auth/preferences.ts';
import type { RowId } from '#contract/fold.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { Tables } from '#contract/tables.ts';
import type { OwnedView } from '#contract/daily-checks/saved-views.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import type { DisabledJob, HandOver } from '../api.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OwnTable } from '../outbox/effects.ts';
import type { Replica } from '../sync/replica.ts';

/** The source of own rows: those of the log, with unsent changes over them. */
interface Place {
  readonly replica: Replica;
  readonly outbox: Pick<Outbox, 'own'>;
}

function getRows<T extends OwnTable>({ replica, outbox }: Place, table: T): readonly Tables[T][] {
  const all = new Map<RowId, Tables[T]>(replica.engine.all(table).map((row) => [row.id, row]));
  for (const [id, row] of outbox.own[table]) all.set(id, row);
  return [...all.values()];
}

const getNames = ({ replica }: Place): ReadonlyMap<string, string> =>
  new Map(replica.people.map(({ id, name }) => [id, name]));

/** Returns lists by name, each with the name of its owner. */
export function getViews(place: Place | null): readonly OwnedView[] {
  if (place === null) return [];
  const names = getNames(place);
  return getRows(place, 'view')
    .filter(({ removedAt }) => removedAt === null)
    .toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1))
    .map((row) => ({ ...row, ownerName: names.get(row.owner) ?? '' }));
}

/** Newest first, with the name of the user who handed over. */
export function getShifts(place: Place | null): readonly HandOver[] {
  if (place === null) return [];
  const names = getNames(place);
  return getRows(place, 'shift')
    .toSorted((a, b) => b.receivedAt - a.receivedAt)
    .map((row) => ({ ...row, name: names.get(row.by) ?? '' }));
}

export const getPreferences = (place: Place | null): readonly PreferenceRow[] =>
  place === null ? [] : getRows(place, 'preference');

export const getPins = (place: Place | null): ReadonlySet<CompanyN> =>
  new Set(
    place === null
      ? []
      : getRows(place, 'pin').flatMap(({ company, pinned }) => (pinned ? [company] : [])),
  );

export function getLastSync(place: Pick<Place, 'replica'> | null): LastSync | null {
  const row = place?.replica.engine.row('lastSync', 'all');
  return row === undefined
    ? null
    : { status: row.status, at: row.at, failed: row.failed, sources: row.sources };
}

/** Returns jobs that are disabled at their source, by company and name. */
export function listDisabledJobs(place: Place | null): readonly DisabledJob[] {
  if (place === null) return [];
  const { engine } = place.replica;
  const names = getNames(place);
  return engine
    .all('job')
    .filter(({ enabled }) => !enabled)
    .map((job): DisabledJob => ({
      n: job.n,
      uid: job.uid,
      key: job.key,
      name: job.name,
      company: job.company,
      companyName: engine.row('company', job.company)?.name ?? '',
      computer: job.computer,
      source: job.source,
      type: job.type,
      ignored:
        job.disabledIgnored == null
          ? null
          : { ...job.disabledIgnored, name: names.get(job.disabledIgnored.by) ?? '' },
    }))
    .toSorted(
      (a, b) =>
        a.companyName.localeCompare(b.companyName) || a.name.localeCompare(b.name) || a.n - b.n,
    );
}
