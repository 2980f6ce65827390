import type { ReactNode } from 'react';
import { CALENDAR_MODES } from '#contract/calendar/calendar.ts';
import type { Day, Ms } from '#contract/ids.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { FilterChip } from '#src/ui/chip.tsx';
import { Icon } from '#src/ui/icon.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { bounded, countFilters } from './board.ts';
import type { CalendarBoard } from './board.ts';
import { periodName, stepSpan, getSpanUnit, unitShown } from './steps.ts';
import { modeLabel } from './labels.ts';
import { calendarMessages as t } from './messages.en.ts';

interface ToolbarProps {
  readonly board: CalendarBoard;
  readonly rule: DayRule;
  readonly today: Day;
  readonly now: Ms;
  /** `118 of 2,914 jobs`. */
  readonly counted: string;
  /** Explains empty days; on a phone it is shown elsewhere. */
  readonly missing: string | null;
  readonly printing: boolean;
  readonly onBoard: (next: CalendarBoard) => void;
  readonly onFilters: () => void;
  readonly onPrint: () => void;
}

export function Toolbar({
  board,
  rule,
  today,
  now,
  counted,
  missing,
  printing,
  onBoard,
  onFilters,
  onPrint,
}: ToolbarProps) {
  const count = countFilters(board);
  const folded = board.fold.all && board.fold.except.length === 0;
  return (
    <div className="flex min-h-11 min-w-0 items-center gap-2 border-b border-hair bg-paper px-3 py-1 max-tablet:overflow-x-auto max-tablet:px-4 max-tablet:[scrollbar-width:none] tablet:flex-wrap">
      <SpanChoice
        span={board.span}
        rule={rule}
        now={now}
        onSpan={(span) => onBoard({ ...board, span: bounded(span), open: null })}
      />
      <fieldset aria-label={t.periodUnit} className="m-0 inline-flex shrink-0 border-0 p-0">
        {(['month', 'quarter'] as const).map((unit, i) => (
          <Toggle
            key={unit}
            on={getSpanUnit(board.span, today) === unit}
            shape={i === 0 ? 'rounded-l-part' : '-ml-px rounded-r-part'}
            onPress={() =>
              onBoard({ ...board, span: unitShown(board.span, unit, today), open: null })
            }
          >
            {unit === 'month' ? t.month : t.quarter}
          </Toggle>
        ))}
      </fieldset>
      <ChipSelect
        name={t.dayResult}
        label={t.shows}
        value={board.mode}
        options={CALENDAR_MODES.map((mode) => [mode, modeLabel(mode)])}
        onChoose={(value) =>
          onBoard({ ...board, mode: CALENDAR_MODES.find((mode) => mode === value) ?? board.mode })
        }
      />
      <button
        type="button"
        onClick={onFilters}
        aria-haspopup="dialog"
        data-filters
        className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 hover:bg-wash pointer-coarse:h-11 pointer-coarse:px-3"
      >
        <Icon name="filter" className="text-ink-3" />
        {t.filters}
        {count > 0 && <b className="text-accent">{count}</b>}
      </button>
      <Toggle
        on={board.problemsOnly}
        shape="rounded-part"
        onPress={() => onBoard({ ...board, problemsOnly: !board.problemsOnly })}
      >
        {board.problemsOnly && <Icon name="check" className="text-accent" />}
        {t.onlyProblems}
      </Toggle>
      {board.text !== '' && (
        <span className="inline-flex tablet:hidden">
          <FilterChip
            label={t.searchFilter}
            value={board.text}
            onRemove={() => onBoard({ ...board, text: '' })}
          />
        </span>
      )}
      <span className="min-w-0 text-agate whitespace-nowrap text-ink-3">{counted}</span>
      {missing !== null && (
        <span
          className="min-w-0 truncate text-agate text-ink-2 max-tablet:hidden"
          data-tip={missing}
        >
          {missing}
        </span>
      )}
      <span className="ml-auto inline-flex shrink-0 gap-1">
        <Button
          size="sm"
          variant="quiet"
          icon={folded ? 'chevron-right' : 'chevron-down'}
          onClick={() => onBoard({ ...board, fold: { all: !folded, except: [] } })}
        >
          {folded ? t.expandAll : t.collapseAll}
        </Button>
        <Button size="sm" busy={printing} onClick={onPrint}>
          {t.print}
        </Button>
      </span>
    </div>
  );
}

function Toggle({
  on,
  shape,
  onPress,
  children,
}: {
  readonly on: boolean;
  readonly shape: string;
  readonly onPress: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onPress}
      className={`inline-flex h-7 shrink-0 items-center gap-1.5 border px-2 whitespace-nowrap hover:bg-wash pointer-coarse:h-11 pointer-coarse:px-3 ${shape} ${on ? 'relative border-accent-line bg-accent-wash font-semibold' : 'border-rule bg-sheet'}`}
    >
      {children}
    </button>
  );
}

/** ‹ November 2026 ›: moves by as many days, or to the adjacent unit. */
export function Steps({
  board,
  today,
  onBoard,
}: Pick<ToolbarProps, 'board' | 'today' | 'onBoard'>) {
  const before = stepSpan(board.span, today, -1);
  const after = stepSpan(board.span, today, 1);
  const unit = getSpanUnit(board.span, today) ?? 'days';
  const to = (span: CalendarBoard['span'] | null): void => {
    if (span) onBoard({ ...board, span, open: null });
  };
  return (
    <span className="inline-flex min-w-0 items-center whitespace-nowrap">
      <IconButton icon="chevron-left" label={t.previous({ unit })} onClick={() => to(before)} />
      <span className="min-w-0 truncate px-1 text-ink-2" aria-live="polite">
        {periodName(board.span, today)}
      </span>
      <IconButton
        icon="chevron-right"
        label={t.next({ unit })}
        disabled={after === null}
        onClick={() => to(after)}
      />
    </span>
  );
}
