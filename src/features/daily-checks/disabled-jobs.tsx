import { uiMessages } from '#src/ui/messages.en.ts';
import { can } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { useNow } from '#src/app/clock.ts';
import { ok } from '#contract/result.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import type { DisabledJob } from '#workers/api.ts';
import { TYPE_WORDS } from '../shared/runs/labels.ts';
import { ListPage, useListPage } from '../shared/lists/list-page.tsx';
import { unignoreDisabled, ignoreDisabled } from '../shared/lists/actions.ts';
import { disabledShown, isIgnored } from '../shared/lists/rows.ts';
import { listMessages as t } from '#src/features/shared/lists/messages.en.ts';

/** `/monitoring/daily-checks/disabled-jobs`: jobs that are disabled at their source. */
export function DisabledJobs() {
  const me = useMe();
  const branding = useBranding();
  return me === null || branding === null ? null : <List me={me} branding={branding} />;
}

function List({ me, branding }: { readonly me: Me; readonly branding: Branding }) {
  const jobs = useWatch('disabled', EMPTY);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const now = useNow(60_000);
  const canAct = can(me.roles, 'monitoring.job-actions');
  const state = useListPage('disabled');
  const { text, ignored } = state.place;
  const shown = jobs === undefined ? null : disabledShown(jobs, state.place, now);
  return (
    <ListPage
      {...state}
      me={me}
      branding={branding}
      list="disabled"
      search={t.searchDisabledJobs}
      count={shown?.length ?? null}
      ignored={(jobs ?? []).filter((job) => isIgnored(job.ignored, now)).length}
      heads={[
        { label: t.job, className: 'w-[32%] pl-5' },
        { label: t.company, className: 'w-[24%]' },
        { label: t.source, className: 'w-[16%]' },
        { label: t.ignored, className: '' },
      ]}
      notice={
        offline && canAct ? (
          <div className="px-5 py-3">
            <Callout tone="warning">{t.offlineHint}</Callout>
          </div>
        ) : null
      }
      instead={
        shown === null ? (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        ) : (
          <Notice
            icon="tick"
            level={2}
            title={text === '' ? t.noDisabledJobs : uiMessages.noMatches}
          >
            <p className="m-0">
              {text !== ''
                ? t.noDisabledJobMatches
                : ignored
                  ? t.allEnabled
                  : t.allEnabledOrIgnored}
            </p>
          </Notice>
        )
      }
    >
      {(shown ?? []).slice(0, state.max).map((job) => (
        <Row
          key={job.n}
          job={job}
          canAct={canAct}
          offline={offline}
          zone={branding.timeZone}
          now={now}
        />
      ))}
    </ListPage>
  );
}

interface RowProps {
  readonly job: DisabledJob;
  readonly canAct: boolean;
  readonly offline: boolean;
  readonly zone: string;
  readonly now: Ms;
}

function Row({ job, canAct, offline, zone, now }: RowProps) {
  const mutation = useServerMutation();
  const about = t.jobOfCompany({ job: job.name, company: job.companyName });
  const ignored = isIgnored(job.ignored, now);
  const press = async (): Promise<void> => {
    const of = { jobInstanceUid: job.uid, key: job.key };
    await mutation.send(async () =>
      ok(await (ignored ? unignoreDisabled(of, about) : ignoreDisabled(of, about))),
    );
  };
  return (
    <tr
      data-row
      className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-11 tablet:p-0 ${ignored ? 'text-ink-3' : ''}`}
    >
      <td className="min-w-0 tablet:pr-3 tablet:pl-5">
        <span className={`block truncate ${ignored ? '' : 'font-semibold'}`} data-tip={job.name}>
          {job.name}
        </span>
        <span className="block truncate text-agate text-ink-3" data-tip={job.computer}>
          {job.computer === '' ? t.disabled : t.disabledOn({ computer: job.computer })}
        </span>
      </td>
      <td className="col-start-1 min-w-0 truncate tablet:pr-3" data-tip={job.companyName}>
        {job.companyName}
      </td>
      <td className="col-start-1 min-w-0 truncate text-ink-2 tablet:pr-3">
        {SOURCE_NAMES[job.source]}
        <span className="text-agate text-ink-3">, {TYPE_WORDS[job.type]}</span>
      </td>
      <td className="col-start-1 min-w-0 text-ink-2 tablet:pr-3">
        {job.ignored === null ? (
          <span className="hidden text-ink-3 tablet:inline">–</span>
        ) : (
          <>
            <span className="block truncate">
              {job.ignored.name === ''
                ? t.ignoredByFormerUser
                : t.ignoredBy({ name: job.ignored.name })}
            </span>
            <span className="block text-agate text-ink-3">{formatWhen(job.ignored.at, zone)}</span>
          </>
        )}
      </td>
      {canAct && (
        <td className="col-start-2 row-span-4 row-start-1 self-center text-right tablet:pr-4">
          <Button
            size="sm"
            busy={mutation.busy}
            disabled={offline}
            {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
            aria-label={(ignored ? t.stopIgnoringItem : t.ignoreItem)({ name: about })}
            onClick={() => void press()}
          >
            {ignored ? t.stopIgnoring : t.ignore}
          </Button>
        </td>
      )}
    </tr>
  );
}

const EMPTY = {};
