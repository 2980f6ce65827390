import type { Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/monitoring/query.ts';
import type { RunView } from '#contract/monitoring/query.ts';
import { useWatch } from '#src/door.ts';
import { formatDate, formatSpan, plural } from '#src/ui/format.ts';
import { Strip } from '../daily-checks/marks.tsx';
import { SMALL } from '../daily-checks/strip.ts';

interface SameProps { readonly row: RunView; readonly cause: number; readonly zone: string; readonly now: Ms; readonly onAll: () => void }

const SHOWN = 3;
const LOOKED_AT = 60;
const DAYS_MS = 7 * 86_400_000;

/** Other companies whose jobs have the same cause, of the last week on this device. */
export function SameCause({ row, cause, zone, now, onAll }: SameProps) {
  const from = row.startedAt - DAYS_MS;
  const view = useWatch('runs', {
    filter: { ...EVERYTHING, from, rows: 'jobs', causes: [cause], order: 'newest' }, window: { first: 0, count: LOOKED_AT }, held: false, folded: [], round: 0,
  });
  const companies = (view?.facets.companies ?? []).filter(({ value, count }) => value !== row.company && count > 0);
  if (companies.length === 0) return null;
  const rest = companies.slice(SHOWN);
  return (
    <section className="pt-3">
      <h3 className="m-0 flex items-baseline gap-2 pb-1">
        Same cause elsewhere
        <button type="button" className="ml-auto text-agate font-normal text-accent" onClick={onAll}>All {plural(view?.total ?? 0, 'job')}</button>
      </h3>
      <ul className="rp-same">
        {companies.slice(0, SHOWN).map(({ value, name, count }) => {
          const one = view?.rows.find(({ company }) => company === value);
          return (
            <li key={value}>
              <span className="dc-cut" title={name}>{name}</span>
              {one ? <Strip strip={one.strip} size={SMALL} today={formatDate(now, zone)} /> : <span />}
              <span className="dc-ag">{one?.problem ? since(one.problem.openedAt, now) : ''}</span>
              <span className="text-right">{plural(count, 'job')}</span>
            </li>
          );
        })}
        {rest.length > 0 && (
          <li><span>{plural(rest.length, 'more company', 'more companies')}</span><span /><span /><span className="text-right">{plural(rest.reduce((sum, { count }) => sum + count, 0), 'job')}</span></li>
        )}
      </ul>
    </section>
  );
}

function since(openedAt: Ms, now: Ms): string {
  const span = formatSpan(openedAt, now) ?? 'now';
  return span.endsWith(' d') ? plural(Number(span.slice(0, -2).replace(',', '')), 'day') : 'today';
}
