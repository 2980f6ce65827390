import type { RunN } from '#contract/ids.ts';
import type { RunView } from '#contract/runs/query.ts';

/** The open dialog. `row`: the only affected row, if there is just one. */
export type OpenDialog =
  | {
      readonly kind: 'snooze' | 'note' | 'review' | 'ticket';
      readonly runs: readonly RunN[];
      readonly row: RunView | null;
    }
  | { readonly kind: 'help' | 'facets' | 'columns' };
