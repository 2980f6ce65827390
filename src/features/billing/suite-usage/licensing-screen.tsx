import type { OutputOf } from '#contract/calls.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { DownloadButton } from '#src/features/shared/export/download.tsx';
import { ListState } from '#src/features/shared/lists/list-parts.tsx';
import { useSearchQuery } from '#src/features/shared/queries/use-search-query.ts';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatBytes, formatCount, formatDate } from '#src/ui/format.ts';
import { getPages, Pager } from '#src/ui/pager.tsx';
import { Spark } from '#src/ui/charts/spark.tsx';
import { getUsageInput } from './address.ts';
import { suiteUsageMessages as t } from './messages.en.ts';
import { ReportBar, useUsageReport } from './report-bar.tsx';
import { describeTrend } from './trend-text.ts';

/** `/o365/licensing`: the licensed users of each organization, and their number per day (BILL-12). */
export function SuiteLicensing() {
  const branding = useBranding();
  return branding === null ? null : <LicensingReport branding={branding} />;
}

function LicensingReport({ branding }: { readonly branding: Branding }) {
  const { place, go, rule, now, offline } = useUsageReport('/o365/licensing', branding);
  const input = getUsageInput(place, now, rule);
  const request = useSearchQuery('listSuiteLicensing', input, { isStored: true });
  const canExport = useAbility('o365.consumption-export');
  const report = request.value;
  return (
    <Page title={t.licensing}>
      <div className="min-h-full bg-sheet">
        <ReportBar
          place={place}
          rule={rule}
          now={now}
          go={go}
          action={
            canExport && (
              <DownloadButton
                name="exportSuiteLicensing"
                input={input}
                offline={offline}
                disabled={(report?.rows.length ?? 0) === 0}
              />
            )
          }
        />
        <ListState
          query={request}
          offline={offline}
          zone={rule.zone}
          unavailableText={t.notOnDevice}
          needs={t.needsNetwork}
        />
        {report !== null && report.rows.length === 0 && (
          <Notice icon="licensing" level={2} title={t.noOrganizations}>
            <p className="m-0">{t.noOrganizationsHint}</p>
          </Notice>
        )}
        {report !== null && report.rows.length > 0 && (
          <>
            <Trend report={report} />
            <Organizations
              report={report}
              busy={request.isLoading}
              page={place.page}
              size={place.size}
            />
            <Pager
              page={Math.min(place.page, getPages(report.rows.length, place.size))}
              size={place.size}
              count={report.rows.length}
              total={t.organizationCount({ count: report.rows.length })}
              onPage={(page) => go({ page })}
              onSize={(size) => go({ size })}
            />
          </>
        )}
      </div>
    </Page>
  );
}

type Report = OutputOf<'listSuiteLicensing'>;

function Trend({ report: { days, rows, to } }: { readonly report: Report }) {
  const values = days.map(({ used }) => used);
  return (
    <section
      aria-label={t.trend}
      className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-2 px-4 py-4 tablet:px-5 desk:grid-cols-2"
    >
      <div>
        <p className="m-0 text-ink-2">{t.licensedOn({ day: formatDate(Date.parse(to), 'UTC') })}</p>
        <p className="m-0 text-head">
          {formatCount(rows.reduce((sum, { used }) => sum + used, 0))}
        </p>
        <p className="m-0 max-w-[60ch] pt-1 text-agate text-ink-3">{t.hint}</p>
      </div>
      {values.length > 1 && (
        <div>
          <div className="flex min-w-0">
            <Spark values={values} width={420} height={48} />
          </div>
          <p className="m-0 pt-1 text-agate text-ink-3">{describeTrend(values)}</p>
        </div>
      )}
    </section>
  );
}

function Organizations({
  report: { rows },
  busy,
  page,
  size,
}: {
  readonly report: Report;
  readonly busy: boolean;
  readonly page: number;
  readonly size: number;
}) {
  const from = (Math.min(page, getPages(rows.length, size)) - 1) * size;
  return (
    <EntryTable
      caption={t.byOrganization}
      busy={busy}
      heads={
        <>
          <TableHead className="pl-5">{t.organization}</TableHead>
          <TableHead className="w-32 text-right">{t.licensed}</TableHead>
          <TableHead className="w-28 text-right">{t.peak}</TableHead>
          <TableHead className="w-28 text-right">{t.added}</TableHead>
          <TableHead className="w-32 text-right">{t.free}</TableHead>
          <TableHead className="w-28 pr-5 text-right">{t.size}</TableHead>
        </>
      }
    >
      {rows.slice(from, from + size).map((row) => (
        <tr
          key={row.organizationId}
          className="block border-b border-hair px-4 py-2 tablet:table-row tablet:h-12 tablet:p-0"
        >
          <td className="block min-w-0 tablet:table-cell tablet:pr-3 tablet:pl-5">
            <span className="block break-words font-semibold">{row.organizationName}</span>
            <span className="block break-words text-agate text-ink-3">{row.companyName}</span>
          </td>
          <Figure label={t.licensed} value={formatCount(row.used)} />
          <Figure label={t.peak} value={formatCount(row.peak)} />
          <Figure label={t.added} value={formatCount(row.added)} />
          <Figure label={t.free} value={formatCount(row.free)} />
          <Figure
            label={t.size}
            value={row.bytes === null ? '–' : formatBytes(row.bytes)}
            className="tablet:pr-5"
          />
        </tr>
      ))}
    </EntryTable>
  );
}

/** A cell on wide screens, a line of the card on a phone. */
const Figure = ({
  label,
  value,
  className = '',
}: {
  readonly label: string;
  readonly value: string;
  readonly className?: string;
}) => (
  <td
    className={`flex justify-between gap-3 tabular-nums text-ink-2 tablet:table-cell tablet:text-right ${className}`}
  >
    <span className="text-agate text-ink-3 tablet:hidden">{label}</span>
    {value}
  </td>
);
