import { useId } from 'react';
import type { Ms } from '#contract/ids.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { filtersOn, typeOptions } from './address.ts';
import type { EventsPlace } from './address.ts';
import { adminEventsMessages as t } from './messages.en.ts';

export interface FiltersProps {
  readonly place: EventsPlace;
  readonly types: readonly string[];
  /** Company names are only available for the user's own provider. */
  readonly own: boolean;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly onPlace: (next: Partial<EventsPlace>) => void;
}

/** Filters: days, type, company, user and subject. The search field above searches the text. */
export function Filters({ place, types, own, rule, now, onPlace }: FiltersProps) {
  const companies = useWatch('companies', EMPTY) ?? [];
  const known =
    place.type === '' ||
    types.includes(place.type) ||
    typeOptions(types).some(([value]) => value === place.type);
  return (
    <>
      <SpanChoice span={place.span} rule={rule} now={now} onSpan={(span) => onPlace({ span })} />
      <ChipSelect
        name={t.type}
        label={t.type}
        value={place.type}
        onChoose={(type) => onPlace({ type })}
        options={[
          ['', t.allTypes],
          ...(known ? [] : [[place.type, place.type] as const]),
          ...typeOptions(types),
        ]}
      />
      {own && (
        <ChipSelect
          name={t.company}
          label={t.company}
          value={place.company}
          onChoose={(company) => onPlace({ company })}
          options={[
            ['', t.allCompanies],
            ...(place.company === '' || companies.some(({ n }) => String(n) === place.company)
              ? []
              : [[place.company, t.companyNumber({ number: place.company })] as const]),
            ...companies
              .map(({ n, name }) => [String(n), name] as const)
              .toSorted((a, b) => a[1].localeCompare(b[1])),
          ]}
        />
      )}
      <Words
        key={`who ${place.actor}`}
        label={t.who}
        hint={t.actorExample}
        value={place.actor}
        max={200}
        choices={['source', 'clock']}
        onSearch={(actor) => onPlace({ actor })}
      />
      <Words
        key={`about ${place.entity}`}
        label={t.about}
        hint={t.objectExample}
        value={place.entity}
        max={100}
        onSearch={(entity) => onPlace({ entity })}
      />
      {filtersOn(place) > 0 && (
        <Button
          size="sm"
          variant="quiet"
          icon="close"
          onClick={() => onPlace({ type: '', entity: '', actor: '', company: '', text: '' })}
        >
          {t.clearFilters}
        </Button>
      )}
    </>
  );
}

interface WordsProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly max: number;
  readonly choices?: readonly string[];
  readonly onSearch: (words: string) => void;
}

/** A small text filter that applies on blur or Enter. */
function Words({ label, hint, value, max, choices = [], onSearch }: WordsProps) {
  const id = useId();
  const done = (words: string): void => {
    if (words.trim() !== value) onSearch(words.trim());
  };
  return (
    <span className="inline-flex h-7 items-center gap-1.5 rounded-part border border-control bg-sheet px-2 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent pointer-coarse:h-11">
      <label htmlFor={id} className="text-ink-3">
        {label}
      </label>
      <input
        id={id}
        defaultValue={value}
        placeholder={hint}
        maxLength={max}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        {...(choices.length > 0 && { list: `${id}-list` })}
        className="h-full w-36 min-w-0 bg-transparent text-ink outline-none placeholder:text-ink-3 placeholder:opacity-100"
        onBlur={(event) => done(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') done(event.currentTarget.value);
        }}
      />
      {choices.length > 0 && (
        <datalist id={`${id}-list`}>
          {choices.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </datalist>
      )}
    </span>
  );
}

const EMPTY = {};
