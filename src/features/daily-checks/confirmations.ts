import type { RunN } from '#contract/ids.ts';
import type { RunView } from '#contract/runs/query.ts';

/** What is being asked over the page. `row`: the only one it is about, where it is one. */
export type Confirmation =
  | {
      readonly is: 'snooze' | 'note' | 'review' | 'ticket';
      readonly runs: readonly RunN[];
      readonly row: RunView | null;
    }
  | { readonly is: 'help' | 'facets' | 'columns' };
