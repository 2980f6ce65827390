import { useRouter, useRouterState } from '@tanstack/react-router';
import { MESSAGES } from '#contract/messages.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { now as clockNow, useNow } from '#src/app/clock.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Tabs } from '#src/ui/tabs.tsx';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { ExportLine } from '../shared/export/export-progress.tsx';
import { FailedCall, makeFile } from '../shared/export/make-file.ts';
import { PastHandOvers } from '../daily-checks/hand-over/past-hand-overs.tsx';
import { evidencePlace, evidenceQuery, evidenceTime } from './address.ts';
import type { EvidencePlace } from './address.ts';
import { EvidenceList } from './evidence-list.tsx';
import { makeEvidenceFile } from './file.ts';
import { askEvidence, useEvidence } from './use-evidence.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { evidenceMessages as t } from './messages.en.ts';

/**
 * `/monitoring/evidence`: who reviewed what and when, from the server's log, and the hand-overs.
 */
export function EvidenceScreen() {
  const branding = useBranding();
  return branding === null ? null : <EvidencePageOf branding={branding} />;
}

function EvidencePageOf({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const place = evidencePlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const companies = useWatch('companies', EMPTY);
  const shifts = useWatch('shifts', EMPTY);
  const status = useWatch('status', EMPTY);
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const { zone } = rule;
  const { from, to, tooLong } = evidenceTime(place.span, now, rule);
  const ask = { from, to, company: place.company };
  const offline = status?.kind === 'offline';
  const evidence = useEvidence(ask, place.show === 'reviews' && !tooLong);
  const go = (next: Partial<EvidencePlace>): void => {
    const query = evidenceQuery({ ...place, ...next });
    history.push(`/monitoring/evidence${query === '' ? '' : `?${query}`}`);
  };
  const download = (): void => {
    if (offline) return;
    void makeFile({
      start: (onShare) =>
        Promise.resolve(
          makeEvidenceFile(
            async (before) => {
              const page = await askEvidence(ask, before);
              if (!page.ok) throw new FailedCall(page.failure);
              return page.value;
            },
            ask,
            clockNow(),
            zone,
            onShare,
          ),
        ),
      formatDone: (name, rows) => t.fileLines({ name, count: rows }),
    });
  };
  const { rows, before, busy, failure, more } = evidence;
  const errorText = failure && (offline ? MESSAGES.needsNetwork : getFailureText(failure));

  return (
    <Page
      title={t.title}
      {...(place.show === 'reviews' && {
        action: (
          <Button
            icon="download"
            disabled={offline || tooLong || rows === null || rows.length === 0}
            {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
            onClick={download}
          >
            {t.downloadCsv}
          </Button>
        ),
      })}
    >
      <div className="flex min-h-full flex-col bg-sheet">
        <Tabs
          label={t.title}
          className="bg-paper px-4 tablet:px-5"
          panelClassName="flex grow flex-col"
          chosen={place.show}
          onChoose={(show) => go({ show })}
          tabs={[
            { key: 'reviews', label: t.reviews },
            { key: 'hand-overs', label: t.handOvers, count: shifts?.length ?? null },
          ]}
        >
          {place.show === 'hand-overs' ? (
            <PastHandOvers zone={zone} now={now} />
          ) : (
            <>
              <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-1 tablet:px-5">
                <SpanChoice
                  span={place.span}
                  rule={rule}
                  now={now}
                  onSpan={(span) => go({ span })}
                />
                <ChipSelect
                  name={t.company}
                  label={t.company}
                  value={place.company === null ? '' : String(place.company)}
                  onChoose={(value) => go({ company: value === '' ? null : Number(value) })}
                  options={[
                    ['', t.allCompanies],
                    ...(companies ?? [])
                      .map(({ n, name }) => [String(n), name] as const)
                      .toSorted((a, b) => a[1].localeCompare(b[1])),
                  ]}
                />
                {rows !== null && (
                  <span className="text-agate text-ink-3">
                    {before === null
                      ? t.lines({ count: rows.length })
                      : t.newestLines({ count: rows.length })}
                  </span>
                )}
              </div>
              <ExportLine />
              {tooLong ? (
                <div className="px-5 py-3">
                  <Callout tone="warning" alert>
                    {MESSAGES.evidenceTooLong}
                  </Callout>
                </div>
              ) : (
                <>
                  {errorText !== null && (
                    <div className="px-5 py-3">
                      <Callout
                        tone={offline ? 'warning' : 'failed'}
                        alert
                        action={offerRetry(offline ? null : failure, more, { size: 'sm' })}
                      >
                        {offline ? t.notOnDevice({ reason: errorText }) : errorText}
                      </Callout>
                    </div>
                  )}
                  {rows === null && busy && (
                    <DelayedFallback>
                      <PageLoading />
                    </DelayedFallback>
                  )}
                  {rows !== null && rows.length === 0 && (
                    <Notice icon="log" level={2} title={t.none}>
                      <p className="m-0">{t.noneHint}</p>
                    </Notice>
                  )}
                  {rows !== null && rows.length > 0 && <EvidenceList rows={rows} zone={zone} />}
                  {before !== null && errorText === null && (
                    <div className="px-5 py-3">
                      <Button busy={busy} onClick={more}>
                        {t.showMore}
                      </Button>
                    </div>
                  )}
                </>
              )}
            </>
          )}
        </Tabs>
      </div>
    </Page>
  );
}

const EMPTY = {};
