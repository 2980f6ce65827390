import { Suspense, useEffect, useState } from 'react';
import { can } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Ms } from '#contract/ids.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import { prefetch } from '#src/app/prefetch.ts';
import { Button } from '#src/ui/button.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import type { Column } from '../shared/runs/columns.ts';
import type { RunListState } from '../shared/runs/list-state.ts';
import { ExportButton } from '../shared/export/export-button.tsx';
import { allOpen } from './hand-over/latest-hand-over.ts';
import { listOfView, getViewQuery } from './saved-views/views.ts';
import { ViewsChip } from './saved-views/views-chip.tsx';
import { dailyChecksMessages as t } from './messages.en.ts';

const handOver = () => import('./hand-over/hand-over-dialog.tsx');
const HandOverDialog = lazyDialog(async () => (await handOver()).HandOverDialog);

export interface ToolbarPartsProps {
  readonly me: Me;
  readonly list: RunListState;
  readonly filter: RunsFilter;
  readonly columns: readonly Column[];
  readonly loaded: { readonly days: number; readonly of: number } | undefined;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly onList: (next: RunListState, at?: number) => void;
}

/** Actions of the whole list: save as view, export, hand over. Loaded after the list. */
export function ToolbarParts({
  me,
  list,
  filter,
  columns,
  loaded,
  rule,
  now,
  onList,
}: ToolbarPartsProps) {
  const [handing, setHanding] = useState(false);
  const query = getViewQuery(list);
  useEffect(() => prefetch(handOver), []);
  return (
    <>
      <ViewsChip me={me} query={query} onOpen={(next, at) => onList(listOfView(next), at)} />
      {can(me.roles, 'monitoring.job-actions') && (
        <Button size="sm" onClick={() => setHanding(true)}>
          {t.handOver}
        </Button>
      )}
      <ExportButton
        filter={filter}
        shown={columns.filter(({ shown }) => shown).map(({ id }) => id)}
        loaded={loaded ?? { days: 0, of: 0 }}
        zone={rule.zone}
      />
      {handing && (
        <Suspense>
          <HandOverDialog
            rule={rule}
            now={now}
            query={query}
            filter={filter}
            onAll={() => {
              setHanding(false);
              onList(allOpen(list));
            }}
            onClose={() => setHanding(false)}
          />
        </Suspense>
      )}
    </>
  );
}
