import { useRouter, useRouterState } from '@tanstack/react-router';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { useDeferredValue } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Pager, getPages } from '#src/ui/pager.tsx';
import { saveFile } from '#src/ui/save-file.ts';
import { SearchField } from '#src/ui/search-field.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { licensingAddress, licensingPlace } from './address.ts';
import { formatLongMonth } from '../../shared/format-month.ts';
import type { LicensingPlace } from './address.ts';
import { UsageTable } from './usage-table.tsx';
import type { LicenseHolder } from './usage-table.tsx';
import { licensingMessages as t } from './messages.en.ts';

/** `/monitoring/licensing`: usage of a month by company or provider (LIC-4). */
export function Licensing() {
  const { history } = useRouter();
  const place = licensingPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const byCompany = place.view === 'companies';
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const zone = useZone();
  const exports = useAbility('monitoring.licensing-export');
  const time = place.month === '' ? {} : { month: place.month };
  const providers = useCachedQuery('listLicensing', time);
  const companies = useCachedQuery(
    'listCompanyLicensing',
    { ...time, ...(place.provider !== '' && { serviceProviderId: place.provider }) },
    { wanted: byCompany },
  );
  const mutation = useServerMutation();
  const request = byCompany ? companies : providers;
  const details = request.value;
  const all = providers.value?.providers ?? [];
  const go = (next: Partial<LicensingPlace>, how: 'push' | 'replace' = 'push'): void =>
    history[how](licensingAddress({ ...place, page: 1, ...next }));

  const holders: readonly LicenseHolder[] = byCompany
    ? (companies.value?.companies ?? []).map(({ company, companyName, lines }) => ({
        key: String(company ?? 'none'),
        name: company === null ? t.noCompany : companyName,
        lines,
      }))
    : all.map(({ serviceProvider: { id, name }, own, companies: count, total }) => ({
        key: id,
        name: own ? t.ownProvider({ name }) : name,
        detail: t.companyCount({ count }),
        lines: total,
      }));
  const words = useDeferredValue(place.text.trim().toLowerCase());
  const found =
    words === ''
      ? holders
      : holders.filter(({ name, lines }) =>
          [name, ...lines.flatMap(({ product, workload }) => [product, workload])]
            .join('\n')
            .toLowerCase()
            .includes(words),
        );

  const page = Math.min(place.page, getPages(found.length, place.size));

  async function download(): Promise<void> {
    const made = await mutation.send(() => client().file('exportLicensing', time));
    if (!made.ok) return showFailure(getFailureText(made.failure));
    saveFile(made.value.name, made.value.file);
    showSuccess(t.fileDownloaded({ name: made.value.name }));
  }

  return (
    <Page
      title={t.licensing}
      search={
        <SearchField
          label={t.search}
          value={place.text}
          focusKey="/"
          onChange={(text) => go({ text }, 'replace')}
        />
      }
      {...(exports && {
        action: (
          <Button
            icon="download"
            busy={mutation.busy}
            disabled={offline || holders.length === 0}
            {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
            onClick={() => void download()}
          >
            {t.downloadCsv}
          </Button>
        ),
      })}
    >
      <div className="min-h-full bg-sheet">
        <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-2 tablet:px-5">
          <ChipSelect
            name={t.month}
            icon="calendar"
            value={place.month === '' ? (details?.months[0] ?? '') : place.month}
            onChoose={(month) => go({ month: month === details?.months[0] ? '' : month })}
            options={(details?.months ?? [place.month]).map(
              (one) => [one, one === '' ? t.thisMonth : formatLongMonth(one)] as const,
            )}
          />
          {all.length > 1 && (
            <ChipSelect
              name={t.groupBy}
              value={place.view}
              onChoose={(view) => go({ view: view === 'providers' ? 'providers' : 'companies' })}
              options={[
                ['companies', t.byCompany],
                ['providers', t.byProvider],
              ]}
            />
          )}
          {all.length > 1 && byCompany && (
            <ChipSelect
              name={t.provider}
              icon="companies"
              value={place.provider}
              onChoose={(provider) => go({ provider })}
              options={all.map(
                ({ serviceProvider: { id, name }, own }) =>
                  [own ? '' : id, own ? t.ownProvider({ name }) : name] as const,
              )}
            />
          )}
        </div>
        {!request.live && request.at !== null && (
          <div className="px-5 py-3">
            <Callout tone="warning">
              {offline ? t.offline : (request.failure?.message ?? MESSAGES.noAnswer)}{' '}
              {t.dataFrom({ when: formatWhen(request.at, zone) })}
            </Callout>
          </div>
        )}
        <p className="m-0 max-w-[90ch] px-4 py-3 text-ink-2 tablet:px-5">
          {place.month === '' ? t.usageHintNow : t.usageHintMonth}
        </p>
        {details === null ? (
          request.failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="licensing"
              level={2}
              title={t.loadFailed}
              actions={offerRetry(request.failure, request.again)}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : request.failure.message}</p>
            </Notice>
          )
        ) : found.length === 0 ? (
          <Notice icon="licensing" level={2} title={words === '' ? t.noUsage : t.noMatches}>
            <p className="m-0">{words === '' ? t.noUsageHint : t.noMatchesHint}</p>
          </Notice>
        ) : (
          <UsageTable
            caption={
              byCompany
                ? t.companiesIn({ month: formatLongMonth(details.month) })
                : t.providersIn({ month: formatLongMonth(details.month) })
            }
            holders={found.slice((page - 1) * place.size, page * place.size)}
          />
        )}
        {details !== null && (
          <Pager
            page={page}
            size={place.size}
            count={found.length}
            total={
              byCompany
                ? t.companyCount({ count: found.length })
                : t.providerCount({ count: found.length })
            }
            onPage={(next) => go({ page: next })}
            onSize={(size) => go({ size })}
          />
        )}
      </div>
    </Page>
  );
}

const EMPTY = {};
