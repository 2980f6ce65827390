import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import { CALENDAR_MODES } from '#contract/calendar/calendar.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import { MAX_REPORT_DAYS } from '#contract/runs/result-filters.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { now as clockNow, useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { STATES } from '#src/ui/states.ts';
import { dayAt, spanKey } from '#src/features/shared/date-range/dates.ts';
import type { IndexRange } from '../../shared/grid/virtual-window.ts';
import { useTouch } from '../../shared/grid/use-touch.ts';
import { modeLabel, shareOrDash } from '../../calendar/labels.ts';
import { SyncNotices } from '../../shared/runs/sync-notices.tsx';
import { toDayRange } from '../../shared/date-range/day-range.ts';
import { ExportLine } from '../../shared/export/export-progress.tsx';
import { makeFile } from '../../shared/export/make-file.ts';
import { TrendFilters } from '../trends/choices.tsx';
import { RefusedNotice, TooLong } from '../../shared/query-states.tsx';
import { fromWords } from '../trends/labels.ts';
import { cellAddress, SHEET_PLACE, sheetAddress, sheetPlace } from './address.ts';
import type { SheetPlace } from './address.ts';
import { makeSheetFile, ownPages, serverPages } from './file.ts';
import { Grid } from './grid.tsx';
import type { SheetFigures } from './sheet.ts';
import { useSheet } from './use-sheet.ts';
import './spreadsheet.css';
import { spreadsheetMessages as t } from './messages.en.ts';

/** `/monitoring/spreadsheet`: a row for each job or company, a column for each day, and totals. */
export function Spreadsheet() {
  const branding = useBranding();
  return branding && <Sheet branding={branding} />;
}

const EMPTY = {};
const FIRST: IndexRange = { first: 0, count: 64 };

function Sheet({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const place = sheetPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const canOpen = useAbility('monitoring.daily-checks');
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const stretch = toDayRange(place.span, dayAt(now, rule), rule);
  const tooLong = stretch.count > MAX_REPORT_DAYS;
  const [lines, putLines] = useState(FIRST);
  const touch = useTouch();
  const [setLines] = useState(
    () =>
      (next: IndexRange): void =>
        putLines((old) => (old.first === next.first && old.count === next.count ? old : next)),
  );
  const companies = useWatch('companies', EMPTY);
  const status = useWatch('status', EMPTY);
  const { heads, total, lineAt, figures, from, failure, again } = useSheet(
    place,
    stretch,
    stretch.count,
    lines,
    now,
    !tooLong,
  );
  const go = (next: SheetPlace, how: 'push' | 'replace' = 'push'): void =>
    history[how](sheetAddress(next));
  const narrowed =
    place.companies.length + place.sources.length + place.types.length > 0 || place.text !== '';
  const download = (): void =>
    void makeFile({
      start: (onShare) =>
        Promise.resolve(
          makeSheetFile(
            place,
            heads,
            from === 'device'
              ? ownPages(place, stretch, stretch.count)
              : serverPages(place, stretch),
            clockNow(),
            rule.zone,
            onShare,
          ),
        ),
      formatDone: (name, rows) => t.fileRows({ name, count: rows }),
    });
  return (
    <Page
      title={t.title}
      scroll="own"
      search={
        <SearchField
          label={t.search}
          value={place.text}
          focusKey="/"
          onChange={(text) => go({ ...place, text }, 'replace')}
        />
      }
      action={
        <Button
          icon="download"
          disabled={total === null || total === 0 || tooLong}
          onClick={download}
        >
          {t.downloadCsv}
        </Button>
      }
    >
      <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)] bg-sheet">
        <div className="min-w-0">
          <SyncNotices status={status} newestAt={null} zone={rule.zone} now={now} />
          <TrendFilters
            chosen={place}
            stretch={stretch}
            companies={companies ?? []}
            rule={rule}
            now={now}
            onChosen={go}
            summary={
              total === null || tooLong
                ? ''
                : (place.by === 'job' ? t.summaryJobs : t.summaryCompanies)({
                    source: fromWords(from, null),
                    count: total,
                  })
            }
          >
            <ChipSelect
              name={t.rows}
              value={place.by}
              onChoose={(by) => go({ ...place, by: by === 'company' ? 'company' : 'job' })}
              options={[
                ['job', t.rowPerJob],
                ['company', t.rowPerCompany],
              ]}
            />
            <ChipSelect
              name={t.dayShows}
              value={place.mode}
              onChoose={(mode) =>
                go({ ...place, mode: CALENDAR_MODES.find((one) => one === mode) ?? 'worst' })
              }
              options={CALENDAR_MODES.map((mode) => [mode, modeLabel(mode)] as const)}
            />
          </TrendFilters>
          <ExportLine />
          {tooLong && <TooLong />}
          {!tooLong && failure !== null && (
            <RefusedNotice
              failure={failure}
              at={null}
              own={false}
              zone={rule.zone}
              onAgain={again}
            />
          )}
          {!tooLong && figures !== null && <Figures figures={figures} />}
        </div>
        {tooLong || (total === null && failure !== null) ? (
          <span />
        ) : total === null || heads.length === 0 ? (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        ) : total === 0 ? (
          <Notice icon="sheet" level={2} title={narrowed ? t.noneFound : t.none}>
            <p className="m-0">{narrowed ? t.noneFoundHint : t.noneHint}</p>
            {narrowed && (
              <p className="m-0 pt-2">
                <Button
                  onClick={() =>
                    go({ ...SHEET_PLACE, span: place.span, by: place.by, mode: place.mode })
                  }
                >
                  {t.showAll}
                </Button>
              </p>
            )}
          </Notice>
        ) : (
          <Grid
            key={place.by}
            heads={heads}
            total={total}
            lineAt={lineAt}
            by={place.by}
            touch={touch}
            daysKey={spanKey(place.span)}
            onLines={setLines}
            onOpen={canOpen ? (line, day) => history.push(cellAddress(line, day)) : null}
          />
        )}
      </div>
    </Page>
  );
}

/** Totals of all cells: days of jobs by state. */
function Figures({ figures: { counts, empty, share } }: { readonly figures: SheetFigures }) {
  return (
    <ul
      aria-label={t.totals}
      className="m-0 flex list-none flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 desk:px-6"
    >
      <li className="whitespace-nowrap">{t.goodDaysShare({ share: shareOrDash(share) })}</li>
      {RUN_STATES.map((state, i) =>
        (counts[i] ?? 0) === 0 ? null : (
          <li
            key={state}
            className={`inline-flex items-center gap-1 whitespace-nowrap ${STATES[state].text}`}
          >
            <Icon name={STATES[state].icon} size={14} />
            {STATES[state].label} <b className="text-ink">{formatCount(counts[i] ?? 0)}</b>
          </li>
        ),
      )}
      <li className="whitespace-nowrap text-ink-3">
        {t.notDue} {formatCount(empty)}
      </li>
    </ul>
  );
}
