'use no memo'; // redrawn as a whole where it is redrawn: the compiler's memory would cost a third more code on the first load
import type { RunsFacets } from '#contract/monitoring/query.ts';
import { FilterChip, Pill } from '#src/ui/chip.tsx';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon-paths.ts';
import { SHORTCUTS, spanKey, spanLabel, spanOfKey } from './dates.ts';
import { narrowed } from './list.ts';
import type { List } from './list.ts';

interface ToolbarProps {
  readonly list: List;
  readonly facets: RunsFacets | undefined;
  readonly fresh: number;
  readonly loaded: { readonly days: number; readonly of: number } | undefined;
  readonly onList: (next: List, at?: number) => void;
  readonly onRange: () => void;
  readonly onFacets: () => void;
  readonly onTakeIn: () => void;
}

/** The place of grouping and saved views is between the date and the order. */
export function Toolbar({ list, facets, fresh, loaded, onList, onRange, onFacets, onTakeIn }: ToolbarProps) {
  const cause = list.causes.map((n) => facets?.causes.find(({ value }) => value === n)?.template ?? `no. ${n}`);
  const known = SHORTCUTS.some((span) => spanKey(span) === spanKey(list.span));
  const count = narrowed(list);
  return (
    <div className="flex min-h-11 min-w-0 items-center gap-2 bg-paper px-3 py-1 max-tablet:overflow-x-auto max-tablet:px-4 max-tablet:pt-2 max-tablet:pb-2.5 max-tablet:[scrollbar-width:none] tablet:flex-wrap">
      <button
        type="button" data-facets onClick={onFacets} aria-haspopup="dialog"
        className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 hover:bg-wash desk:hidden pointer-coarse:h-11 pointer-coarse:px-3"
      >
        <Icon name="filter" className="text-ink-3" />Filters{count > 0 && <b className="text-accent">{count}</b>}
      </button>
      <Choice
        name="Days" icon="calendar" value={spanKey(list.span)} onChoose={(key, at) => {
          const span = spanOfKey(key);
          if (span) onList({ ...list, span }, at);
          else onRange();
        }}
        options={[
          ...SHORTCUTS.map((span) => [spanKey(span), spanLabel(span)] as const),
          ...(known ? [] : [[spanKey(list.span), spanLabel(list.span)] as const]), ['range', 'Choose days…'] as const,
        ]}
      />
      <Choice
        name="Rows" label="Rows" value={list.rows} onChoose={(rows, at) => onList({ ...list, rows: rows === 'runs' ? 'runs' : 'jobs' }, at)}
        options={[['jobs', 'Newest of each job'], ['runs', 'Every run']]}
      />
      <Choice
        name="Order" label="Order" value={list.order} onChoose={(order, at) => onList({ ...list, order: order === 'newest' ? 'newest' : 'worst' }, at)}
        options={[['worst', 'Worst first'], ['newest', 'Newest first']]}
      />
      {cause.length > 0 && <FilterChip label="Cause" value={cause.join(', ')} onRemove={() => onList({ ...list, causes: [] })} />}
      {list.jobs.length > 0 && <FilterChip label="Jobs" value={formatCount(list.jobs.length)} onRemove={() => onList({ ...list, jobs: [] })} />}
      {loaded && loaded.days < loaded.of && <span className="text-agate whitespace-nowrap text-ink-3">{loaded.days} of {loaded.of} days here</span>}
      {fresh > 0 && <Pill keycap="R" className="ml-auto max-tablet:hidden" onClick={onTakeIn}>{formatCount(fresh)} new, press</Pill>}
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label?: string;
  readonly icon?: IconName;
  readonly value: string;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly onChoose: (value: string, at: number) => void;
}

/** A chip over the browser's own list: nothing to load, at home on a phone, known to every screen reader. */
function Choice({ name, label, icon, value, options, onChoose }: ChoiceProps) {
  return (
    <span className="relative inline-flex h-7 shrink-0 items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 whitespace-nowrap focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:bg-wash pointer-coarse:h-11 pointer-coarse:px-3">
      {icon && <Icon name={icon} className="text-ink-3 max-tablet:hidden" />}
      {label !== undefined && <span className="text-ink-3 max-tablet:hidden" aria-hidden>{label}</span>}
      <span aria-hidden>{options.find(([one]) => one === value)?.[1] ?? ''}</span>
      <Icon name="chevron-down" className="text-ink-3" />
      <select
        aria-label={name} value={value} onChange={(event) => onChoose(event.target.value, event.timeStamp)}
        className="absolute inset-0 w-full cursor-pointer appearance-none bg-sheet text-ink opacity-0"
      >
        {options.map(([one, word]) => <option key={one} value={one}>{word}</option>)}
      </select>
    </span>
  );
}
