import type { Ms } from '#contract/ids.ts';
import type { RunView } from '#contract/runs/query.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { formatDate } from '#src/ui/format.ts';
import { Strip } from '../../shared/runs/run-marks.tsx';
import { SMALL } from '../../shared/runs/spark-bars.ts';
import { sameCause } from './same-cause-query.ts';
import type { Days } from './same-cause-query.ts';
import { runPanelMessages as t } from './messages.en.ts';

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
 * Other companies whose jobs have the same cause in the list's days; `onAll` opens the same
 * results.
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
        <h3 className="m-0">{t.sameCauseElsewhere}</h3>
        <button type="button" className="rp-more" onClick={onAll}>
          {t.showAllJobs({ count: view?.total ?? 0 })}
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
              <span className="text-right">{t.jobCount({ count })}</span>
            </li>
          );
        })}
        {rest.length > 0 && (
          <li>
            <span>{t.moreCompanies({ count: rest.length })}</span>
            <span />
            <span />
            <span className="text-right">
              {t.jobCount({ count: rest.reduce((sum, { count }) => sum + count, 0) })}
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}

function since(openedAt: Ms, now: Ms): string {
  const days = Math.floor((now - openedAt) / DAY_MS);
  return days < 1 ? t.today : t.days({ count: days });
}
