import { useState } from 'react';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import { ENTITY_GROUPS, SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { TYPE_WORDS } from '../shared/runs/labels.ts';
import { ENTITY_GROUP_WORDS } from '#src/features/shared/runs/labels.ts';
import { countFilters } from './board.ts';
import type { CalendarBoard, MultiFilter } from './board.ts';
import { calendarMessages as t } from './messages.en.ts';

interface FiltersProps {
  readonly board: CalendarBoard;
  readonly from: Ms;
  readonly to: Ms;
  readonly jobs: number;
  readonly phone: boolean;
  readonly onBoard: (next: CalendarBoard) => void;
  readonly onClose: () => void;
}

/** Filters of the jobs; a choice applies at once. Counts are jobs with a result in these days. */
export function Filters({ board, from, to, jobs, phone, onBoard, onClose }: FiltersProps) {
  const { companies, sources, types, instructionTypes, text } = board;
  const facets = useWatch('runs', {
    filter: {
      ...EVERYTHING,
      from,
      to,
      rows: 'jobs',
      companies,
      sources,
      types,
      instructionTypes,
      text,
    },
    window: { first: 0, count: 0 },
    isInUse: false,
    folded: NONE,
    round: 0,
  })?.facets;
  const named = useWatch('companies', STILL);
  const counts = new Map<string | number, number>(
    [...(facets?.companies ?? []), ...(facets?.sources ?? []), ...(facets?.types ?? [])].map(
      ({ value, count }) => [value, count],
    ),
  );
  const set =
    (of: MultiFilter) =>
    (value: string): void =>
      onBoard({
        ...board,
        [of]: toggled<string | number>(board[of], of === 'companies' ? Number(value) : value),
      });
  const offered = (
    of: 'sources' | 'types',
    words: Readonly<Record<string, string>>,
  ): readonly Choice[] =>
    (facets?.[of] ?? [])
      .filter(({ value, count }) => count > 0 || (board[of] as readonly string[]).includes(value))
      .map(({ value, count }) => ({
        value,
        label: words[value] ?? value,
        count,
        on: (board[of] as readonly string[]).includes(value),
      }));
  return (
    <Dialog
      title={t.filters}
      place={phone ? 'bottom' : 'middle'}
      wide
      onClose={onClose}
      footer={
        <>
          <Button variant="primary" onClick={onClose}>
            {t.showJobs({ count: jobs })}
          </Button>
          <Button
            variant="quiet"
            disabled={countFilters(board) === 0}
            onClick={() =>
              onBoard({ ...board, companies: [], sources: [], types: [], instructionTypes: [] })
            }
          >
            {t.clear}
          </Button>
        </>
      }
    >
      <div className="grid gap-x-6 gap-y-4 px-5 py-4 tablet:grid-cols-3">
        <Choices
          title={t.company}
          find={t.findCompany}
          onPress={set('companies')}
          choices={(named ?? [])
            .toSorted((a, b) => NAMES.compare(a.name, b.name))
            .map(({ n, name }) => ({
              value: String(n),
              label: name,
              count: counts.get(n) ?? 0,
              on: companies.includes(n),
            }))}
        />
        <div className="grid content-start gap-4">
          <Choices
            title={t.source}
            onPress={set('sources')}
            choices={offered('sources', SOURCE_NAMES)}
          />
          <Choices
            title={t.systemType}
            onPress={set('instructionTypes')}
            choices={ENTITY_GROUPS.map((value) => ({
              value,
              label: ENTITY_GROUP_WORDS[value],
              count: null,
              on: instructionTypes.includes(value),
            }))}
          />
        </div>
        <Choices title={t.type} onPress={set('types')} choices={offered('types', TYPE_WORDS)} />
      </div>
    </Dialog>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly count: number | null;
  readonly on: boolean;
}
const MAX_CHOICES = 12;
const MAX_FOUND = 60;

/** Selected values come first. Long lists have a search field. */
function Choices({
  title,
  find,
  choices,
  onPress,
}: {
  readonly title: string;
  readonly find?: string;
  readonly choices: readonly Choice[];
  readonly onPress: (value: string) => void;
}) {
  const [typed, setTyped] = useState('');
  const sought = typed.trim().toLowerCase();
  const fit = choices
    .filter(({ on, label }) => on || sought === '' || label.toLowerCase().includes(sought))
    .toSorted((a, b) => Number(b.on) - Number(a.on));
  const shown = fit.slice(0, sought === '' && find !== undefined ? MAX_CHOICES : MAX_FOUND);
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="m-0 border-b border-hair pb-1 text-agate font-normal text-ink-3">{title}</h3>
      {find !== undefined && choices.length > MAX_CHOICES && (
        <input
          type="search"
          value={typed}
          aria-label={find}
          placeholder={find}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          className="my-1.5 h-8 w-full rounded-part border border-control bg-sheet px-2 placeholder:text-ink-3 placeholder:opacity-100 pointer-coarse:h-11"
        />
      )}
      <ul className="m-0 list-none p-0">
        {shown.map(({ value, label, count, on }) => (
          <li key={value}>
            <button
              type="button"
              aria-pressed={on}
              onClick={() => onPress(value)}
              className={`grid min-h-7 w-full grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-2 rounded-part hover:bg-wash pointer-coarse:min-h-11 ${on ? 'font-semibold' : ''}`}
            >
              {on ? <Icon name="check" className="text-accent" /> : <span />}
              <span className="truncate" data-tip={label}>
                {label}
              </span>
              {count !== null && <span className="text-ink-3">{formatCount(count)}</span>}
            </button>
          </li>
        ))}
      </ul>
      {fit.length > shown.length && (
        <p className="m-0 pl-6 text-agate text-ink-3">
          {t.moreChoices({ count: fit.length - shown.length })}
        </p>
      )}
      {choices.length === 0 && <p className="m-0 pt-1 text-ink-3">{t.noChoices}</p>}
    </section>
  );
}

const toggled = <T,>(values: readonly T[], value: T): readonly T[] =>
  values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const NONE: readonly CompanyN[] = [];
const STILL = {};
