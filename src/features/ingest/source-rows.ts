import type { Ms } from '#contract/ids.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { KeyRow } from '#contract/runs/rows.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { sourceMessages as t } from './messages.en.ts';

/**
 * A key as the list shows it. `heardAt` undefined: not known here, the server has not been asked.
 */
export interface SourceRow {
  readonly key: KeyRow;
  readonly company: string;
  readonly heardAt: Ms | null | undefined;
  readonly fault: { readonly at: Ms; readonly message: string } | null;
  readonly state: SourceState;
  /** What it stored today (UTC), and may; null where the server has not been asked. */
  readonly today: Heard['today'] | null;
}

/** `waiting`: no result yet. `faulty`: what it sent last could not be read. */
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
 * In use first, revoked last; each newest first. What the device knows stands even where the server
 * could not be asked.
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

/** The first result may have arrived after the server was asked. */
const latest = (asked: Ms | null | undefined, first: Ms | null): Ms | null | undefined => {
  if (first === null) return asked;
  return asked === null || asked === undefined ? first : Math.max(asked, first);
};
