// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
import { useEffect, useState } from 'react';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { ReactNode } from 'react';
import type { ShownFacets } from '#contract/runs/query.ts';
import { useCompaniesFilter } from '#src/features/shared/companies-filter.ts';
import { useMe } from '#src/app/session/session.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Kbd } from '#src/ui/kbd.tsx';
import { StateMark } from '#src/ui/state-mark.tsx';
import { STATES } from '#src/ui/states.ts';
import { showFailure } from '#src/ui/toasts.ts';
import { openAllFacets } from './all-facets.ts';
import { sendCommand } from './send-command.ts';
import { clearedList, narrowed, toggle } from '../shared/runs/list-state.ts';
import type { RunListState } from '../shared/runs/list-state.ts';
import { PROBLEM_KIND_LABELS, REVIEW_WORDS, TYPE_WORDS } from '../shared/runs/labels.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

interface FacetsProps {
  readonly facets: ShownFacets | undefined;
  readonly list: RunListState;
  readonly onList: (next: RunListState, at: number) => void;
}

/**
 * Filters of the list: label, count and a tick if selected. The counts of a filter ignore its own
 * selection.
 */
export function Facets({ facets, list, onList }: FacetsProps) {
  const set = (change: Partial<RunListState>, at: number): void =>
    onList({ ...list, ...change }, at);
  const isFiltered = useCompaniesFilter();
  if (!facets) return null;
  return (
    <>
      <Index
        title={t.review}
        entries={facets.review.map(({ value, count }) => ({
          value,
          count,
          label: REVIEW_WORDS[value],
          on: list.review === value,
          press: (at) => set({ review: list.review === value ? null : value }, at),
        }))}
      />
      <Index
        title={t.state}
        all
        entries={facets.states.map(({ value, count }) => ({
          value,
          count,
          label: STATES[value].label,
          on: list.states.includes(value),
          press: (at) => set({ states: toggle(list.states, value) }, at),
          mark: <StateMark state={value} bare />,
        }))}
      />
      <Index
        title={t.kindOfProblem}
        max={8}
        entries={facets.kinds.map(({ value, count }) => ({
          value,
          count,
          label: PROBLEM_KIND_LABELS[value],
          on: list.kinds.includes(value),
          press: (at) => set({ kinds: toggle(list.kinds, value) }, at),
        }))}
      />
      {isFiltered && (
        <Index
          title={t.company}
          max={6}
          left={facets.left?.companies}
          find={t.findCompany}
          {...(list.companies.length > 0 && { onClear: (at) => set({ companies: [] }, at) })}
          action={<PinCompany companies={facets.companies} chosen={list.companies} />}
          entries={[...facets.companies, ...absent(facets, list)].map(
            ({ value, count, name, pinned }) => ({
              value: String(value),
              count,
              label: name,
              on: list.companies.includes(value),
              press: (at) => set({ companies: toggle(list.companies, value) }, at),
              ...(pinned && { mark: <Icon name="pin" className="text-ink-3" />, note: t.pinned }),
            }),
          )}
        />
      )}
      <Index
        title={t.source}
        max={6}
        entries={facets.sources.map(({ value, count }) => ({
          value,
          count,
          label: SOURCE_NAMES[value],
          on: list.sources.includes(value),
          press: (at) => set({ sources: toggle(list.sources, value) }, at),
        }))}
      />
      <Index
        title={t.type}
        max={6}
        entries={facets.types.map(({ value, count }) => ({
          value,
          count,
          label: TYPE_WORDS[value],
          on: list.types.includes(value),
          press: (at) => set({ types: toggle(list.types, value) }, at),
        }))}
      />
      <Index
        title={t.managed}
        all
        entries={facets.managed.flatMap(({ value, count }) =>
          value === null
            ? []
            : [
                {
                  value: String(value),
                  count,
                  label: value ? t.managed : t.notManaged,
                  on: list.managed === value,
                  press: (at: number) =>
                    set({ managed: list.managed === value ? null : value }, at),
                },
              ],
        )}
      />
      <Index
        title={t.cause}
        max={6}
        left={facets.left?.causes}
        find={t.findCause}
        entries={facets.causes.map(({ value, count, template }) => ({
          value: String(value),
          count,
          label: template,
          on: list.causes.includes(value),
          press: (at) => set({ causes: toggle(list.causes, value) }, at),
        }))}
      />
      <section aria-label={t.anomalies}>
        <h2>{t.anomalies}</h2>
        <Line
          entry={{
            value: 'anomaly',
            count: facets.anomaly.find(({ value }) => value)?.count ?? 0,
            label: t.withAnomalies,
            on: list.anomaly,
            press: (at) => set({ anomaly: !list.anomaly }, at),
          }}
        />
      </section>
    </>
  );
}

/** Pins or unpins the company that the list is filtered by. */
function PinCompany({
  companies,
  chosen,
}: {
  readonly companies: ShownFacets['companies'];
  readonly chosen: RunListState['companies'];
}) {
  const userId = useMe()?.id;
  const company = companies.find(({ value }) => value === chosen[0]);
  if (chosen.length !== 1 || !company || userId === undefined) return null;
  const { value, name, pinned = false } = company;
  const pin = async (): Promise<void> => {
    const change = { id: userId, company: String(value), pinned: !pinned };
    const failure = await sendCommand(() => client().send('pinCompany', change));
    if (failure) showFailure(failure.message);
  };
  return (
    <button
      type="button"
      className={HEAD_BUTTON}
      aria-label={pinned ? t.unpinCompany({ company: name }) : t.pinCompany({ company: name })}
      data-tip={t.pinHint}
      onClick={() => void pin()}
    >
      {pinned ? t.unpin : t.pin}
    </button>
  );
}

/**
 * Returns filtered companies without results in these days, or deleted ones. A link or saved view
 * can name them.
 */
export const absent = (facets: ShownFacets, list: RunListState): ShownFacets['companies'] =>
  list.companies
    .filter((n) => !facets.companies.some(({ value }) => value === n))
    .map((value) => ({ value, count: 0, name: t.companyWithoutResults({ id: value }) }));

/** Header: the active filters, and a button to clear them. */
export function FacetsHead({ list, onList }: Pick<FacetsProps, 'list' | 'onList'>) {
  const count = narrowed(list);
  return (
    <div className="flex h-11 items-center gap-2">
      <b>{t.filters}</b>
      {count > 0 && (
        <button
          type="button"
          className="ml-auto text-accent"
          onClick={(event) => onList(clearedList(list), event.timeStamp)}
        >
          {t.clearCount({ count })}
        </button>
      )}
      <span className={count > 0 ? '' : 'ml-auto'}>
        <Kbd>{t.filtersKey}</Kbd>
      </span>
    </div>
  );
}

interface Entry {
  readonly value: string;
  readonly count: number | null;
  readonly label: string;
  readonly on: boolean;
  readonly press: (at: number) => void;
  readonly mark?: ReactNode;
  /** What the mark says, for screen readers. */
  readonly note?: string;
}
interface IndexProps {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly all?: boolean;
  readonly max?: number;
  readonly left?: number | undefined;
  readonly find?: string;
  readonly onClear?: (at: number) => void;
  readonly action?: ReactNode;
}

const HEAD_BUTTON = 'text-right text-accent pointer-coarse:min-h-11 pointer-coarse:min-w-11';
const FINDABLE = 20;
const MAX_SHOWN = 200;

/**
 * `all`: also shows values with a count of zero. Otherwise shows values with a count or selected
 * ones, up to `max`, and the rest behind "n more". `left`: the number of values that the worker
 * sends only when the filter is expanded.
 */
function Index({
  title,
  entries,
  all = false,
  max = entries.length,
  left = 0,
  find,
  onClear,
  action,
}: IndexProps) {
  const [open, setOpen] = useState(false);
  const [words, setWords] = useState('');
  useEffect(() => (open && find !== undefined ? openAllFacets() : undefined), [open, find]);
  const telling = all ? entries : entries.filter((entry) => entry.on || (entry.count ?? 0) > 0);
  const short = telling.filter((entry, i) => entry.on || i < max);
  const sought = words.trim().toLowerCase();
  const full = (
    sought === ''
      ? telling
      : telling.filter((entry) => entry.on || entry.label.toLowerCase().includes(sought))
  ).slice(0, MAX_SHOWN);
  if (telling.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="flex items-center">
        {title}
        <span className="ml-auto flex gap-3">
          {action}
          {onClear && (
            <button
              type="button"
              className={HEAD_BUTTON}
              aria-label={t.clearFacet({ name: title })}
              onClick={(event) => onClear(event.timeStamp)}
            >
              {t.clear}
            </button>
          )}
        </span>
      </h2>
      {open && find !== undefined && telling.length > FINDABLE && (
        <input
          type="search"
          value={words}
          aria-label={find}
          placeholder={find}
          onChange={(event) => setWords(event.target.value)}
          className="my-1 h-7 w-full rounded-part border border-control bg-sheet px-2 placeholder:text-ink-3"
        />
      )}
      <ul className="m-0 list-none p-0">
        {(open ? full : short).map((entry) => (
          <li key={entry.value}>
            <Line entry={entry} />
          </li>
        ))}
      </ul>
      {telling.length + left > short.length && (
        <button
          type="button"
          className="pl-6 leading-6 text-accent"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open
            ? t.showFewer
            : t.moreCount({ count: formatCount(telling.length - short.length + left) })}
        </button>
      )}
    </section>
  );
}

function Line({ entry: { count, label, on, press, mark, note } }: { readonly entry: Entry }) {
  return (
    <button
      type="button"
      className="dc-facet"
      aria-pressed={on}
      {...(count === 0 && { 'data-zero': '' })}
      onClick={(event) => press(event.timeStamp)}
    >
      <span aria-hidden>{on ? <Icon name="check" className="text-accent" /> : mark}</span>
      <span className="dc-cut" data-tip={label}>
        {label}
      </span>
      {note !== undefined && <span className="sr-only"> {note}</span>}
      {count !== null && <b>{formatCount(count)}</b>}
    </button>
  );
}
