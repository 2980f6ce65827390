import type { Ms } from '#contract/ids.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { KeyRow } from '#contract/runs/rows.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { sourceMessages as t } from './messages.en.ts';

/** A key in the list. `heardAt`: undefined if unknown, because the server has not been asked. */
export interface SourceRow {
  readonly key: KeyRow;
  readonly company: string;
  readonly heardAt: Ms | null | undefined;
  readonly fault: { readonly at: Ms; readonly message: string } | null;
  readonly state: SourceState;
  /** Bytes stored today (UTC) and the daily limit; null if the server has not been asked. */
  readonly today: Heard['today'] | null;
}

/** `waiting`: no result yet. `faulty`: its last data could not be read. */
export type SourceState = 'waiting' | 'reporting' | 'faulty' | 'revoked';

export const SOURCE_STATES: Readonly<
  Record<SourceState, { readonly word: string; readonly icon: IconName; readonly text: string }>
> = {
  waiting: { word: t.waiting, icon: 'clock', text: 'text-ink-2' },
  reporting: { word: t.reporting, icon: 'success', text: 'text-success' },
  faulty: { word: t.faulty, icon: 'warning', text: 'text-warning' },
  revoked: { word: t.revoked, icon: 'lock', text: 'text-ink-3' },
};

type Heard = OutputOf<'listKeys'>[number];

/**
 * Active keys first, revoked ones last, each newest first. Data of this device is shown even if the
 * server cannot be reached.
 */
export function sourceRows(
  keys: readonly KeyRow[],
  companies: readonly CompanyRow[],
  heard: readonly Heard[] | null,
): readonly SourceRow[] {
  const names = new Map(companies.map((company) => [company.n, company.name]));
  const told = new Map(heard?.map((one) => [one.id, one]));
  return keys
    .map((key): SourceRow => {
      const more = told.get(key.id);
      const heardAt = latest(
        more?.lastHeardAt ?? (heard === null ? undefined : null),
        key.firstResultAt,
      );
      const fault = more?.lastFault ?? null;
      return {
        key,
        company: names.get(key.company) ?? t.companyNumber({ n: key.company }),
        heardAt,
        fault,
        state: stateOf(key, fault, heardAt),
        today: more?.today ?? null,
      };
    })
    .toSorted(
      (a, b) =>
        Number(a.key.revokedAt !== null) - Number(b.key.revokedAt !== null) ||
        b.key.madeAt - a.key.madeAt,
    );
}

function stateOf(
  key: KeyRow,
  fault: SourceRow['fault'],
  heardAt: Ms | null | undefined,
): SourceState {
  if (key.revokedAt !== null) return 'revoked';
  if (fault !== null && fault.at >= (heardAt ?? 0)) return 'faulty';
  return key.firstResultAt === null ? 'waiting' : 'reporting';
}

/** The first result can have arrived after the server's answer. */
const latest = (asked: Ms | null | undefined, first: Ms | null): Ms | null | undefined => {
  if (first === null) return asked;
  return asked === null || asked === undefined ? first : Math.max(asked, first);
};
