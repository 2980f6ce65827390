import type { Ms, UserId } from '#contract/ids.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { RunListState } from '../shared/runs/list-state.ts';
import { ExportLine } from '../shared/export/export-progress.tsx';
import { SinceLine } from './hand-over/since-line.tsx';
import { listOfView } from './saved-views/views.ts';

export interface ListLinesProps {
  readonly me: UserId;
  readonly zone: string;
  readonly now: Ms;
  readonly filter: RunsFilter;
  readonly onList: (next: RunListState) => void;
}

/** Banners above the list: a running export and the last hand-over. Loaded after the list. */
export const ListLines = ({ me, zone, now, filter, onList }: ListLinesProps) => (
  <>
    <ExportLine />
    <SinceLine
      me={me}
      zone={zone}
      now={now}
      filter={filter}
      onOpen={(query) => onList(listOfView(query))}
    />
  </>
);
