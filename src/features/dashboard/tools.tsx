import type { Ms } from '#contract/ids.ts';
import type { Overview } from '#contract/dashboard/overview.ts';
import { ENTITY_GROUPS } from '#contract/runs/vocabulary.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { useCompaniesFilter } from '#src/features/shared/companies-filter.ts';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import type { DashboardBoard } from './address.ts';
import { beginsLater } from '../shared/charts/day-columns.ts';
import { againstWords, extentWords } from '../shared/charts/deltas.ts';
import { daysWords, dayWords } from '../shared/date-range/day-range.ts';
import type { DayRange } from '../shared/date-range/day-range.ts';
import { ENTITY_GROUP_WORDS } from '#src/features/shared/runs/labels.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface ToolsProps {
  readonly board: DashboardBoard;
  readonly stretch: DayRange;
  readonly overview: Overview;
  readonly companies: readonly CompanyRow[];
  readonly rule: DayRule;
  readonly now: Ms;
  /** Number of records still loading to this device. */
  readonly arriving: number;
  readonly onBoard: (next: DashboardBoard) => void;
}

/** Period, company and group filters of the page, and its comparison period. */
export function Tools({
  board,
  stretch,
  overview,
  companies,
  rule,
  now,
  arriving,
  onBoard,
}: ToolsProps) {
  const later = beginsLater(overview.days);
  const said = [
    arriving > 0 ? t.stillArriving : later === null ? '' : t.resultsFrom({ day: dayWords(later) }),
    extentWords(overview.jobs),
    againstWords(stretch.count, overview.before),
  ]
    .filter((part) => part !== '')
    .join('. ');
  const isFiltered = useCompaniesFilter();
  const sorted = companies.toSorted((a, b) =>
    a.name.localeCompare(b.name, 'en', { sensitivity: 'base', numeric: true }),
  );
  return (
    <div className="flex min-h-13 flex-wrap items-center gap-2 px-4 py-2 desk:px-6">
      <SpanChoice
        span={board.span}
        rule={rule}
        now={now}
        onSpan={(span) => onBoard({ ...board, span })}
      />
      {isFiltered && companies.length > 1 && (
        <ChipSelect
          name={t.companies}
          icon="companies"
          value={board.companies.join()}
          onChoose={(value) =>
            onBoard({ ...board, companies: value === '' ? [] : value.split(',').map(Number) })
          }
          options={[
            ['', t.allCompanies],
            ...many(board.companies, t.companyCount),
            ...sorted.map(({ n, name }) => [String(n), name] as const),
          ]}
        />
      )}
      <ChipSelect
        name={t.entityGroups}
        value={board.instructionTypes.join()}
        onChoose={(value) =>
          onBoard({
            ...board,
            instructionTypes: ENTITY_GROUPS.filter((group) => value.split(',').includes(group)),
          })
        }
        options={[
          ['', t.allEntityGroups],
          ...many(board.instructionTypes, t.entityGroupCount),
          ...ENTITY_GROUPS.map((group) => [group, ENTITY_GROUP_WORDS[group]] as const),
        ]}
      />
      <span className="text-agate whitespace-nowrap text-ink-3">{daysWords(stretch.days)}</span>
      <p className="m-0 ml-auto text-right text-agate text-ink-3 max-tablet:ml-0 max-tablet:w-full max-tablet:text-left">
        {said}
      </p>
    </div>
  );
}

/** The label for several values, which only an address can select. */
const many = (
  chosen: readonly unknown[],
  label: (values: { readonly count: number }) => string,
): readonly (readonly [string, string])[] =>
  chosen.length > 1 ? [[chosen.join(), label({ count: chosen.length })]] : [];
