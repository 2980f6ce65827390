// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
import { formatList } from '#contract/i18n/list.ts';
import type { ReactNode } from 'react';
import type { Ms } from '#contract/ids.ts';
import { GROUPS, ORDERS } from '#contract/runs/query.ts';
import type { Order, RunsFacets } from '#contract/runs/query.ts';
import { IconButton } from '#src/ui/button.tsx';
import { FilterChip } from '#src/ui/chip.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { GROUP_WORDS } from './group-line.tsx';
import { ENTITY_GROUP_WORDS } from '../shared/runs/labels.ts';
import { narrowed } from '../shared/runs/list-state.ts';
import type { RunListState } from '../shared/runs/list-state.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

interface ToolbarProps {
  readonly list: RunListState;
  readonly facets: RunsFacets | undefined;
  readonly onList: (next: RunListState, at?: number) => void;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly onFacets: () => void;
  readonly onColumns: () => void;
  /** Actions of the whole list. */
  readonly parts: ReactNode;
}

/**
 * A single line, also beside an open result, so that the rows do not move. With little space it
 * hides unset filters; with even less it scrolls horizontally. Text for screen readers is
 * positioned inside it, because it would otherwise widen the page.
 */
export function Toolbar({
  list,
  facets,
  rule,
  now,
  onList,
  onFacets,
  onColumns,
  parts,
}: ToolbarProps) {
  const cause = list.causes.map(
    (n) => facets?.causes.find(({ value }) => value === n)?.template ?? t.causeNumber({ id: n }),
  );
  const count = narrowed(list);
  return (
    <div className="@container/tools bg-paper">
      <div
        className="relative flex min-h-11 min-w-0 items-center gap-2 px-3 py-1 max-tablet:px-4 max-tablet:pt-2 max-tablet:pb-2.5
          [scrollbar-width:none] overflow-x-auto tablet:@max-[990px]/tools:gap-1.5 tablet:@max-[990px]/tools:px-2 tablet:@max-[660px]/tools:gap-1"
      >
        <button
          type="button"
          data-facets
          onClick={onFacets}
          aria-haspopup="dialog"
          className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 hover:bg-wash desk:hidden pointer-coarse:h-11 pointer-coarse:px-3"
        >
          <Icon name="filter" className="text-ink-3" />
          {t.filters}
          {count > 0 && <b className="text-accent">{count}</b>}
        </button>
        <SpanChoice
          span={list.span}
          rule={rule}
          now={now}
          onSpan={(span, at) => onList({ ...list, span }, at)}
        />
        <ChipSelect
          name={t.rows}
          label={t.rows}
          value={list.rows}
          rest="jobs"
          onChoose={(rows, at) => onList({ ...list, rows: rows === 'runs' ? 'runs' : 'jobs' }, at)}
          options={[
            ['jobs', t.latestPerJob],
            ['runs', t.allRuns],
          ]}
        />
        <ChipSelect
          name={t.groupBy}
          label={t.groupBy}
          value={list.group ?? ''}
          rest=""
          onChoose={(group, at) =>
            onList({ ...list, group: GROUPS.find((one) => one === group) ?? null }, at)
          }
          options={[
            ['', t.noGrouping],
            ...GROUPS.map((group) => [group, GROUP_WORDS[group]] as const),
          ]}
        />
        <ChipSelect
          gives
          name={t.order}
          label={t.sortBy}
          value={`${list.order}${list.reverse ? REVERSED : ''}`}
          rest="worst"
          onChoose={(chosen, at) => {
            const order = chosen.replace(REVERSED, '');
            onList(
              {
                ...list,
                order: ORDERS.find((one) => one === order) ?? 'worst',
                reverse: chosen.endsWith(REVERSED),
              },
              at,
            );
          }}
          options={ORDERS.flatMap(
            (order) =>
              [
                [order, ORDER_WORDS[order][0]],
                [order + REVERSED, ORDER_WORDS[order][1]],
              ] as const,
          )}
        />
        <IconButton
          icon="settings"
          label={t.columns}
          className="pointer-coarse:hidden max-tablet:hidden"
          onClick={onColumns}
        />
        {parts}
        {cause.length > 0 && (
          <FilterChip
            label={t.cause}
            value={formatList(cause, 'plain')}
            onRemove={() => onList({ ...list, causes: [] })}
          />
        )}
        {list.servers.length > 0 && (
          <FilterChip
            label={t.server}
            value={formatList(
              list.servers.map((name) => (name === '' ? t.noServerFilter : name)),
              'plain',
            )}
            onRemove={() => onList({ ...list, servers: [] })}
          />
        )}
        {list.instructionTypes.length > 0 && (
          <FilterChip
            label={t.group}
            value={formatList(
              list.instructionTypes.map((group) => ENTITY_GROUP_WORDS[group]),
              'plain',
            )}
            onRemove={() => onList({ ...list, instructionTypes: [] })}
          />
        )}
        {list.jobs.length > 0 && (
          <FilterChip
            label={t.jobs}
            value={formatCount(list.jobs.length)}
            onRemove={() => onList({ ...list, jobs: [] })}
          />
        )}
      </div>
    </div>
  );
}

/** Suffix of a reversed order. */
const REVERSED = '/up';

/** Labels of both directions. */
const ORDER_WORDS: Readonly<Record<Order, readonly [string, string]>> = {
  worst: [t.worstFirst, t.worstLast],
  newest: [t.newestFirst, t.oldestFirst],
  company: [t.companyAToZ, t.companyZToA],
  job: [t.jobAToZ, t.jobZToA],
  computer: [t.computerAToZ, t.computerZToA],
  duration: [t.shortestFirst, t.longestFirst],
  bytes: [t.leastTransferredFirst, t.mostTransferredFirst],
  lastGood: [t.longestWithoutGood, t.shortestWithoutGood],
  streak: [t.shortestStreakFirst, t.longestStreakFirst],
  cause: [t.causeAToZ, t.causeZToA],
  source: [t.sourceAToZ, t.sourceZToA],
  ticket: [t.ticketLowToHigh, t.ticketHighToLow],
};
