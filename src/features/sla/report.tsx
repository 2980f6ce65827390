import { MESSAGES } from '#contract/messages.ts';
import { csvLine, csvName, BOM, utcText } from '#contract/runs/csv.ts';
import type { SlaLine } from '#contract/sla/calls.ts';
import { useNow } from '#src/app/clock.ts';
import { useCompaniesFilter } from '#src/features/shared/companies-filter.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useBranding } from '#src/app/session/session.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { dayAt, getDays, getTimes } from '#src/features/shared/date-range/dates.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { saveFile } from '#src/ui/save-file.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { getExportFailureText } from '../shared/export/make-file.ts';
import { resultsAddress } from '#src/features/shared/page-links/results.ts';
import { SectionLink } from '../shared/section-link.tsx';
import type { SlaPlace } from './address.ts';
import { shareText } from './labels.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { slaMessages as t } from './messages.en.ts';

const FILE_PAGE = 1_000;

export interface ReportProps {
  readonly place: SlaPlace;
  readonly offline: boolean;
  readonly companies: readonly (readonly [n: number, name: string])[];
  readonly onPlace: (next: Partial<SlaPlace>) => void;
}

/**
 * SLA-4, SLA-5: success rate of each job or company, worst first, and whether it meets the target.
 */
export function SlaResults({ place: supplied, offline, companies, onPlace }: ReportProps) {
  const isFiltered = useCompaniesFilter();
  const place = isFiltered ? supplied : { ...supplied, company: null };
  const branding = useBranding();
  const now = useNow(60_000);
  const rule = { zone: branding?.timeZone ?? 'UTC', hour: branding?.dayBeginsHour ?? 0 };
  const today = dayAt(now, rule);
  const { from, to } = getTimes(place.span, today, rule);
  const filters = {
    ...(place.company !== null && { companyIds: [place.company] }),
    ...(place.text !== '' && { text: place.text }),
  };
  const input = {
    from: String(from),
    to: String(to),
    by: place.by,
    filters: JSON.stringify(filters),
    ...(place.percent !== null && { minSuccessPct: String(place.percent) }),
    ...(place.hours !== null && { maxAgeHours: String(place.hours) }),
  };
  const {
    value: details,
    failure,
    at,
    live,
    isLoading,
    again,
  } = useCachedQuery('slaReport', {
    ...input,
    page: String(place.page),
    pageSize: String(place.size),
  });
  const mutation = useServerMutation();
  const request = place.percent !== null || place.hours !== null;

  async function loadAll(): Promise<Result<readonly SlaLine[]>> {
    const rows: SlaLine[] = [];
    for (let page = 1; ; page++) {
      const answer = await client().ask('slaReport', {
        ...input,
        page: String(page),
        pageSize: String(FILE_PAGE),
      });
      if (!answer.ok) return answer;
      rows.push(...answer.value.rows);
      if (answer.value.rows.length < FILE_PAGE) return ok(rows);
    }
  }
  async function download(): Promise<void> {
    const loaded = await mutation.send(loadAll);
    if (!loaded.ok) return showFailure(getExportFailureText(loaded.failure));
    const rows = loaded.value;
    const name = csvName('SLA', now, rule.zone);
    saveFile(
      name,
      new Blob([BOM + csvLine(TITLES), ...rows.map((row) => csvLine(getCells(row)))], {
        type: 'text/csv;charset=utf-8',
      }),
    );
    showSuccess(t.fileSaved({ name }));
  }

  return (
    <div className="min-h-full bg-sheet">
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-2 tablet:px-5">
        <SpanChoice
          span={place.span}
          rule={rule}
          now={now}
          onSpan={(span) => onPlace({ span, page: 1 })}
        />
        <ChipSelect
          name={t.groupBy}
          value={place.by}
          onChoose={(by) => onPlace({ by: by === 'company' ? 'company' : 'job', page: 1 })}
          options={[
            ['job', t.byJob],
            ['company', t.byCompany],
          ]}
        />
        {isFiltered && (
          <ChipSelect
            name={t.company}
            icon="companies"
            value={place.company === null ? '' : String(place.company)}
            onChoose={(company) =>
              onPlace({ company: company === '' ? null : Number(company), page: 1 })
            }
            options={[
              ['', t.allCompanies],
              ...companies.map(([n, name]) => [String(n), name] as const),
            ]}
          />
        )}
        <ChipSelect
          name={t.share}
          value={String(place.percent ?? '')}
          onChoose={(percent) =>
            onPlace({ percent: percent === '' ? null : Number(percent), page: 1 })
          }
          options={[
            ['', t.noShareTarget],
            ...PERCENTS.map((one) => [String(one), t.shareTarget({ percent: one })] as const),
          ]}
        />
        <ChipSelect
          name={t.age}
          icon="clock"
          value={String(place.hours ?? '')}
          onChoose={(hours) => onPlace({ hours: hours === '' ? null : Number(hours), page: 1 })}
          options={[
            ['', t.noAgeTarget],
            ...HOURS.map((one) => [String(one), t.ageTarget({ hours: one })] as const),
          ]}
        />
        <Button
          size="sm"
          icon="download"
          className="ml-auto"
          busy={mutation.busy}
          disabled={offline || details === null || details.count === 0}
          {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
          onClick={() => void download()}
        >
          {t.downloadCsv}
        </Button>
      </div>
      <p className="m-0 max-w-[90ch] px-4 py-3 text-ink-2 tablet:px-5">
        {t.formula} {t.formulaAge} {t.formulaJobs}{' '}
        {!live && at !== null && t.reportFrom({ when: formatWhen(at, rule.zone) })}
      </p>
      {details === null ? (
        failure === null ? (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        ) : (
          <Notice
            icon="trends"
            level={2}
            title={t.reportNotLoaded}
            actions={offerRetry(failure, again)}
          >
            <p className="m-0">{offline ? MESSAGES.needsNetwork : failure.message}</p>
          </Notice>
        )
      ) : details.count === 0 ? (
        <Notice icon="trends" level={2} title={t.noneFound}>
          <p className="m-0">{t.noneFoundHint}</p>
        </Notice>
      ) : (
        <div aria-busy={isLoading}>
          <output className="block px-4 pb-3 tablet:px-5">
            <b className="text-head">{shareText(details.total.share)}</b>{' '}
            {t.totalResults({ count: details.total.runs })}
            {request && (
              <span className="block text-ink-2">
                {(place.by === 'job' ? t.totalJobsMet : t.totalCompaniesMet)({
                  met: formatCount(details.total.met),
                  count: details.total.met + details.total.missedTarget,
                })}
              </span>
            )}
          </output>
          <Table
            rows={details.rows}
            place={place}
            days={getDays(place.span, today)}
            zone={rule.zone}
            isLoading={request}
          />
          <Pager
            page={place.page}
            size={place.size}
            count={details.count}
            total={(place.by === 'job' ? t.stateJobs : t.companyCount)({ count: details.count })}
            onPage={(page) => onPlace({ page })}
            onSize={(size) => onPlace({ size, page: 1 })}
          />
        </div>
      )}
    </div>
  );
}

const PERCENTS = [80, 90, 95, 98, 99, 100] as const;
const HOURS = [26, 50, 74, 170] as const;

function Table({
  rows,
  place,
  days,
  zone,
  isLoading,
}: {
  readonly rows: readonly SlaLine[];
  readonly place: SlaPlace;
  readonly days: readonly [string, string];
  readonly zone: string;
  readonly isLoading: boolean;
}) {
  const to = ({ company }: SlaLine): string =>
    resultsAddress({ days, companies: [company], instructionTypes: [] });
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse border-t-2 border-head-rule text-left [&_td]:border-b [&_td]:border-hair [&_td]:px-2 [&_td]:py-1.5 [&_td:first-child]:pl-4 [&_th]:px-2 [&_th]:py-2 [&_th]:font-normal [&_th]:text-ink-2 [&_th:first-child]:pl-4 tablet:[&_td:first-child]:pl-5 tablet:[&_th:first-child]:pl-5">
        <thead>
          <tr className="border-b border-rule text-agate">
            {isLoading && <th scope="col">{t.isOnTarget}</th>}
            <th scope="col">{place.by === 'job' ? t.job : t.company}</th>
            <th scope="col" className="text-right">
              {t.share}
            </th>
            <th scope="col" className="text-right">
              {t.good}
            </th>
            <th scope="col" className="hidden text-right tablet:table-cell">
              {t.warnings}
            </th>
            <th scope="col" className="hidden text-right tablet:table-cell">
              {t.failed}
            </th>
            <th scope="col" className="hidden text-right tablet:table-cell">
              {t.missedRuns}
            </th>
            <th scope="col" className="hidden desk:table-cell">
              {t.lastGoodBackup}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.company} ${row.jobInstanceUid ?? ''} ${row.jobName ?? ''}`}>
              {isLoading && (
                <td>
                  <Met met={row.met} />
                </td>
              )}
              <td className="max-w-80 min-w-40">
                <span className="block font-semibold break-words">
                  {row.jobName ?? (
                    <SectionLink href={to(row)} className="text-accent underline">
                      {row.companyName}
                    </SectionLink>
                  )}
                </span>
                <span className="block text-agate break-words text-ink-2">
                  {row.jobName === null ? t.stateJobs({ count: row.jobs }) : row.companyName}
                </span>
              </td>
              <td className="text-right font-semibold tabular-nums whitespace-nowrap">
                {row.share === null ? '–' : shareText(row.share)}
              </td>
              <td className="text-right tabular-nums">{formatCount(row.success + row.warning)}</td>
              <td className="hidden text-right tabular-nums tablet:table-cell">
                {formatCount(row.warning)}
              </td>
              <td className="hidden text-right tabular-nums tablet:table-cell">
                {formatCount(row.failed)}
              </td>
              <td className="hidden text-right tabular-nums tablet:table-cell">
                {formatCount(row.missed)}
              </td>
              <td className="hidden whitespace-nowrap desk:table-cell">
                {row.lastSuccessAt === null ? (
                  <span className="text-ink-3">{row.ageHours === null ? '–' : t.noBackupYet}</span>
                ) : (
                  formatWhen(row.lastSuccessAt, zone)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Met({ met }: { readonly met: boolean | null }) {
  if (met === null) return <span className="text-ink-3">–</span>;
  return (
    <span className={`inline-flex items-center gap-1.5 ${met ? '' : 'font-semibold text-failed'}`}>
      <Icon name={met ? 'success' : 'failed'} className={met ? 'text-success' : ''} />
      {met ? t.yes : t.no}
    </span>
  );
}

const TITLES = [
  t.company,
  t.job,
  t.jobs,
  t.results,
  t.succeeded,
  t.warnings,
  t.failed,
  t.missedRuns,
  t.sharePercent,
  t.lastGoodBackupUtc,
  t.ageHours,
  t.isOnTarget,
];
const getCells = ({
  companyName,
  jobName,
  jobs,
  runs,
  success,
  warning,
  failed,
  missed,
  share,
  lastSuccessAt,
  ageHours,
  met,
}: SlaLine) => [
  companyName,
  jobName,
  jobs,
  runs,
  success,
  warning,
  failed,
  missed,
  share === null ? null : Math.floor(share * 1000) / 10,
  lastSuccessAt === null ? null : utcText(lastSuccessAt),
  ageHours,
  met === null ? null : met ? t.yes : t.no,
];
