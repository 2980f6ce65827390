import type { ReactNode } from 'react';
import type { Ms } from '#contract/ids.ts';
import { JOB_TYPES, SOURCE_NAMES, SOURCES } from '#contract/runs/vocabulary.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { useCompaniesFilter } from '#src/features/shared/companies-filter.ts';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { TYPE_WORDS } from '#src/features/shared/runs/labels.ts';
import { daysWords } from '#src/features/shared/date-range/day-range.ts';
import type { DayRange } from '#src/features/shared/date-range/day-range.ts';
import type { TrendSelection } from './address.ts';
import { trendMessages as t } from './messages.en.ts';

interface ChoicesProps<C extends TrendSelection> {
  readonly chosen: C;
  readonly stretch: DayRange;
  readonly companies: readonly CompanyRow[];
  readonly rule: DayRule;
  readonly now: Ms;
  readonly onChosen: (next: C) => void;
  /** Right-aligned text: the origin of the data. */
  readonly summary: string;
  /** The page's own filter chips, before the others. */
  readonly children?: ReactNode;
}

/** Period, company, source and type filters of a report, and the origin of its data. */
export function TrendFilters<C extends TrendSelection>({
  chosen,
  stretch,
  companies,
  rule,
  now,
  onChosen,
  summary,
  children,
}: ChoicesProps<C>) {
  const isFiltered = useCompaniesFilter();
  const sorted = companies.toSorted((a, b) => NAMES.compare(a.name, b.name));
  return (
    <div className="flex min-h-13 flex-wrap items-center gap-2 bg-paper px-4 py-2 desk:px-6">
      <SpanChoice
        span={chosen.span}
        rule={rule}
        now={now}
        onSpan={(span) => onChosen({ ...chosen, span })}
      />
      {children}
      {isFiltered && companies.length > 1 && (
        <ChipSelect
          name={t.companies}
          icon="companies"
          value={chosen.companies.join()}
          onChoose={(value) =>
            onChosen({ ...chosen, companies: value === '' ? [] : value.split(',').map(Number) })
          }
          options={[
            ['', t.allCompanies],
            ...several(chosen.companies, t.someCompanies),
            ...sorted.map(({ n, name }) => [String(n), name] as const),
          ]}
        />
      )}
      <ChipSelect
        name={t.sources}
        value={chosen.sources.join()}
        onChoose={(value) =>
          onChosen({ ...chosen, sources: SOURCES.filter((one) => value.split(',').includes(one)) })
        }
        options={[
          ['', t.allSources],
          ...several(chosen.sources, t.someSources),
          ...SOURCES.map((one) => [one, SOURCE_NAMES[one]] as const),
        ]}
      />
      <ChipSelect
        name={t.types}
        value={chosen.types.join()}
        onChoose={(value) =>
          onChosen({ ...chosen, types: JOB_TYPES.filter((one) => value.split(',').includes(one)) })
        }
        options={[
          ['', t.allTypes],
          ...several(chosen.types, t.someTypes),
          ...JOB_TYPES.map((one) => [one, TYPE_WORDS[one]] as const),
        ]}
      />
      <span className="text-agate whitespace-nowrap text-ink-3">{daysWords(stretch.days)}</span>
      <p className="m-0 ml-auto text-right text-agate text-ink-3 max-tablet:ml-0 max-tablet:w-full max-tablet:text-left">
        {summary}
      </p>
    </div>
  );
}

/** The label for several values, which only an address can select. */
const several = (
  chosen: readonly unknown[],
  text: (values: { count: number }) => string,
): readonly (readonly [string, string])[] =>
  chosen.length > 1 ? [[chosen.join(), text({ count: chosen.length })]] : [];
const NAMES = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
