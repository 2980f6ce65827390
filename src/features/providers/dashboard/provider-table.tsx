import { formatList } from '#contract/i18n/list.ts';
import { Link } from '@tanstack/react-router';
import type { ProviderOverview } from '#contract/providers/admin-calls.ts';
import type { Ms } from '#contract/ids.ts';
import { formatAge, formatCount, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { adminOverviewMessages as t } from './messages.en.ts';

export interface ProviderTableProps {
  readonly providers: readonly ProviderOverview[];
  readonly zone: string;
  readonly now: Ms;
}

type ProviderRow = Omit<ProviderOverview, '_id'>;
const HEADS = [
  t.users,
  t.signedIn,
  t.companies,
  t.jobs,
  t.resultsHour,
  t.resultsDay,
  t.toBeSent,
  t.quarantine,
] as const;

const figuresIn = ({
  active,
  signedIn,
  companies,
  jobs,
  ingest,
  outgoing,
  quarantine,
}: ProviderRow): readonly number[] => [
  active,
  signedIn,
  companies,
  jobs,
  ingest.hour,
  ingest.day,
  outgoing.waiting,
  quarantine,
];

/** A row per provider: figures in columns, or with labels on narrow screens. */
export function ProviderRows({ providers, zone, now }: ProviderTableProps) {
  return (
    <table className="block w-full desk:table desk:border-collapse">
      <caption className="sr-only">{t.providers}</caption>
      <thead className="sr-only desk:not-sr-only desk:table-header-group">
        <tr className="h-9 border-b border-rule text-left text-agate text-ink-2">
          <th scope="col" className="font-normal">
            {t.name}
          </th>
          {HEADS.map((head) => (
            <th key={head} scope="col" className="pl-3 text-right font-normal whitespace-nowrap">
              {head}
            </th>
          ))}
          <th scope="col" className="pl-6 font-normal">
            {t.sources}
          </th>
          <th scope="col" className="pl-3 text-right font-normal">
            {t.lastHeard}
          </th>
        </tr>
      </thead>
      <tbody className="block desk:table-row-group">
        {providers.map(({ _id: id, ...one }) => (
          <Line key={id} one={one} zone={zone} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function Line({
  one,
  zone,
  now,
}: {
  readonly one: ProviderRow;
  readonly zone: string;
  readonly now: Ms;
}) {
  const { name, hosts, own, sync } = one;
  return (
    <tr className="grid grid-cols-2 gap-x-4 gap-y-1 border-b border-hair py-2.5 desk:table-row desk:h-12 desk:py-0">
      <th
        scope="row"
        className="col-span-2 min-w-0 text-left font-normal desk:max-w-0 desk:w-[24%]"
      >
        <Link
          to={`/admin/providers`}
          className="block truncate font-semibold hover:underline pointer-coarse:min-h-11 pointer-coarse:content-center"
          data-tip={name}
        >
          {name}
        </Link>
        <span
          className="block truncate text-agate text-ink-3"
          data-tip={formatList(hosts, 'plain')}
        >
          {formatList([own ? t.thisPortal : t.managed, ...hosts], 'plain')}
        </span>
      </th>
      {figuresIn(one).map((figure, i) => (
        <td
          key={HEADS[i]}
          className="flex justify-between gap-2 whitespace-nowrap desk:table-cell desk:pl-3 desk:text-right"
        >
          <span className="text-agate text-ink-3 desk:hidden" aria-hidden>
            {HEADS[i]}
          </span>
          {formatCount(figure)}
        </td>
      ))}
      <td className="whitespace-nowrap desk:pl-6">
        <Sources sync={sync} />
      </td>
      <td className="text-right whitespace-nowrap text-ink-2 desk:pl-3">
        {sync.at === null ? (
          <span className="text-ink-3">{t.never}</span>
        ) : (
          <time data-tip={`${formatWhen(sync.at, zone)}, ${formatUtc(sync.at)}`}>
            {formatAge(sync.at, now)}
          </time>
        )}
      </td>
    </tr>
  );
}

function Sources({ sync: { sources, failed } }: Pick<ProviderOverview, 'sync'>) {
  if (sources === 0) return <span className="text-ink-3">{t.none}</span>;
  return failed.length > 0 ? (
    <span className="flex items-center gap-1.5 text-failed">
      <Icon name="failed" />
      {t.sourcesFailed({ failed: failed.length, total: sources })}
    </span>
  ) : (
    <span className="flex items-center gap-1.5 text-success">
      <Icon name="success" />
      {t.sourcesOk({ count: sources })}
    </span>
  );
}
