import type { Ms } from '#contract/ids.ts';
import type { RunView } from '#contract/runs/query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { formatDate, formatSpan, plural } from '#src/ui/format.ts';
import { Strip } from '../../shared/runs/run-marks.tsx';
import { SMALL } from '../../shared/runs/spark-bars.ts';
import { sameCause } from './same-cause-query.ts';
import type { Days } from './same-cause-query.ts';

interface SameProps {
  readonly row: RunView;
  readonly cause: number;
  readonly days: Days;
  readonly zone: string;
  readonly now: Ms;
  readonly onAll: () => void;
}

const SHOWN = 3;

/**
 * Other companies whose jobs have the same cause, in the days of the list: that is what `onAll`
 * opens.
 */
export function SameCause({ row, cause, days, zone, now, onAll }: SameProps) {
  const view = useWatch('runs', sameCause(cause, days));
  const companies = (view?.facets.companies ?? []).filter(
    ({ value, count }) => value !== row.company && count > 0,
  );
  if (companies.length === 0) return null;
  const rest = companies.slice(SHOWN);
  return (
    <section className="pt-3">
      <div className="flex items-baseline gap-2 pb-1">
        <h3 className="m-0">Same cause elsewhere</h3>
        <button type="button" className="rp-more" onClick={onAll}>
          All {plural(view?.total ?? 0, 'job')}
        </button>
      </div>
      <ul className="rp-same">
        {companies.slice(0, SHOWN).map(({ value, name, count }) => {
          const one = view?.rows.find(({ company }) => company === value);
          return (
            <li key={value}>
              <span className="dc-cut" data-tip={name}>
                {name}
              </span>
              {one ? (
                <Strip strip={one.strip} size={SMALL} today={formatDate(now, zone)} />
              ) : (
                <span />
              )}
              <span className="dc-ag">{one?.problem ? since(one.problem.openedAt, now) : ''}</span>
              <span className="text-right">{plural(count, 'job')}</span>
            </li>
          );
        })}
        {rest.length > 0 && (
          <li>
            <span>{plural(rest.length, 'more company', 'more companies')}</span>
            <span />
            <span />
            <span className="text-right">
              {plural(
                rest.reduce((sum, { count }) => sum + count, 0),
                'job',
              )}
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}

function since(openedAt: Ms, now: Ms): string {
  const span = formatSpan(openedAt, now) ?? 'now';
  return span.endsWith(' d') ? plural(Number(span.slice(0, -2).replace(',', '')), 'day') : 'today';
}
