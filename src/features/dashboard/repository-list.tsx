import type { CompanyN, Ms } from '#contract/ids.ts';
import { formatDate, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { getPercent } from '#src/ui/percent.ts';
import { Spark } from '#src/ui/charts/spark.tsx';
import { fullWords } from '../shared/capacity.ts';
import type { Filling } from '../shared/capacity.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface RepositoryListProps {
  readonly filling: readonly Filling[];
  readonly companyName: (n: CompanyN) => string;
  readonly zone: string;
  readonly now: Ms;
}

/** Repositories with their fill level and the forecast day when they are full, soonest first. */
export function RepositoryList({ filling, companyName, zone, now }: RepositoryListProps) {
  if (filling.length === 0) return <p className="m-0 py-3 text-ink-2">{t.noneFillUp}</p>;
  return (
    <ul className="m-0 list-none p-0">
      {filling.map((one) => (
        <li key={one.id} className="border-b border-hair py-1 leading-4">
          <span className="flex items-center justify-between gap-2">
            <b className="min-w-0 truncate" data-tip={`${one.name}, ${companyName(one.company)}`}>
              {one.name}
            </b>
            <span
              className={`inline-flex shrink-0 items-center gap-1 whitespace-nowrap ${TEXT[one.tone]}`}
            >
              {one.tone !== 'trace' && <Icon name={one.tone} size={14} />}
              {fullWords(one, now)}
            </span>
          </span>
          <span className="grid h-4 grid-cols-[64px_minmax(0,1fr)_auto] items-center gap-2.5">
            <Spark values={one.trace} width={64} height={14} />
            <span aria-hidden className="block h-[5px] bg-wash outline outline-rule">
              <i
                className={`block h-full ${FILL[one.tone]}`}
                style={{ width: `${getPercent(one.used ?? 0, 1)}%` }}
              />
            </span>
            <span
              className="text-right text-agate whitespace-nowrap text-ink-3"
              data-tip={formatWhen(one.fullAt, zone)}
            >
              {one.used === null ? '' : `${Math.floor(getPercent(one.used, 1))} %, `}
              {formatDate(one.fullAt, zone)}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

const TEXT = {
  failed: 'font-semibold text-failed',
  warning: 'font-semibold text-warning',
  trace: '',
} as const;
const FILL = { failed: 'bg-failed-mark', warning: 'bg-warning-mark', trace: 'bg-trace' } as const;
