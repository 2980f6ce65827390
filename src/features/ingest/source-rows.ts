import type { Ms } from '#contract/ids.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { sourceMessages as t } from './messages.en.ts';

/** A key in the list. `heardAt`: undefined if unknown, because the server has not been asked. */
export interface SourceRow {
  readonly key: IngestKeyRow;
  readonly company: string;
  readonly heardAt: Ms | null | undefined;
  readonly error: { readonly at: Ms; readonly message: string } | null;
  readonly state: SourceState;
  /** Bytes stored today (UTC) and the daily limit; null if the server has not been asked. */
  readonly today: Heard['today'] | null;
}

/** `waiting`: no result yet. `faulty`: its last data could not be read. */
export type SourceState = 'waiting' | 'reporting' | 'faulty' | 'revoked';

export const SOURCE_STATES: Readonly<
  Record<SourceState, { readonly label: string; readonly icon: IconName; readonly text: string }>
> = {
  waiting: { label: t.waiting, icon: 'clock', text: 'text-ink-2' },
  reporting: { label: t.reporting, icon: 'success', text: 'text-success' },
  faulty: { label: t.faulty, icon: 'warning', text: 'text-warning' },
  revoked: { label: t.revoked, icon: 'lock', text: 'text-ink-3' },
};

type Heard = OutputOf<'listKeys'>[number];

/**
 * Active keys first, revoked ones last, each newest first. Data of this device is shown even if the
 * server cannot be reached.
 */
export function sourceRows(
  keys: readonly IngestKeyRow[],
  companies: readonly CompanyRow[],
  heard: readonly Heard[] | null,
): readonly SourceRow[] {
  const names = new Map(companies.map((company) => [company.n, company.name]));
  const details = new Map(heard?.map((one) => [one.id, one]));
  return keys
    .map((key): SourceRow => {
      const more = details.get(key.id);
      const heardAt = latest(
        more?.lastHeardAt ?? (heard === null ? undefined : null),
        key.firstResultAt,
      );
      const error = more?.lastError ?? null;
      return {
        key,
        company: names.get(key.company) ?? t.companyNumber({ n: key.company }),
        heardAt,
        error,
        state: getState(key, error, heardAt),
        today: more?.today ?? null,
      };
    })
    .toSorted(
      (a, b) =>
        Number(a.key.revokedAt !== null) - Number(b.key.revokedAt !== null) ||
        b.key.madeAt - a.key.madeAt,
    );
}

function getState(
  key: IngestKeyRow,
  error: SourceRow['error'],
  heardAt: Ms | null | undefined,
): SourceState {
  if (key.revokedAt !== null) return 'revoked';
  if (error !== null && error.at >= (heardAt ?? 0)) return 'faulty';
  return key.firstResultAt === null ? 'waiting' : 'reporting';
}

/** The first result can have arrived after the server's answer. */
const latest = (request: Ms | null | undefined, first: Ms | null): Ms | null | undefined => {
  if (first === null) return request;
  return request === null || request === undefined ? first : Math.max(request, first);
};
