import { Link } from '@tanstack/react-router';
import type { PagePath } from '#contract/page-paths.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { formatCount } from '#src/ui/format.ts';
import { jobState } from '../jobs/labels.ts';
import { usePolledQuery } from '../../shared/queries/use-polled-query.ts';
import { AttentionPanel } from './attention.tsx';
import { Sections } from './sections.tsx';
import { backupDashboardMessages as t } from './messages.en.ts';

/** `/o365/dashboard`: what is backed up, and what needs attention (BILL-8). */
export function BackupDashboard() {
  const roles = useMe()?.roles ?? [];
  const features = useBranding()?.features ?? null;
  const organizations = useWatch('organizations', EMPTY);
  const jobs = useWatch('backupJobs', EMPTY) ?? [];
  const repositories = useWatch('backupRepositories', EMPTY) ?? [];
  const now = useNow(60_000);
  const status = usePolledQuery('getBackupStatus', EMPTY, true);
  if (organizations == null)
    return (
      <Page title={t.microsoft365}>
        <DelayedFallback>
          <PageLoading />
        </DelayedFallback>
      </Page>
    );
  if (organizations.length === 0)
    return (
      <Page title={t.microsoft365}>
        <div className="grid min-h-full bg-sheet">
          <Notice
            icon="cloud"
            level={2}
            title={t.notBackedUpYet}
            actions={WAYS.filter(([to]) => mayOpen(PAGES[to], roles, features)).map(
              ([to, word]) => (
                <Link
                  key={to}
                  to={to}
                  className="inline-flex min-h-8 items-center px-2 text-accent underline underline-offset-2 pointer-coarse:min-h-11"
                >
                  {t[word]}
                </Link>
              ),
            )}
          >
            <p className="m-0">{t.notBackedUpYetHint}</p>
          </Notice>
        </div>
      </Page>
    );
  const running = jobs.filter((row) => jobState(row) === 'running').length;
  // Those of a deleted organization are listed until their backups are deleted.
  const isOwned = (row: { readonly organization: string }): boolean =>
    organizations.some(({ id }) => id === row.organization);
  return (
    <Page title={t.microsoft365}>
      <div className="grid min-h-full content-start gap-6 bg-sheet px-4 py-5 desk:px-6">
        <ul className="m-0 grid list-none gap-x-6 gap-y-3 p-0 tablet:grid-cols-3">
          <Figure to="/o365/organizations" label={t.organizations} count={organizations.length} />
          <Figure
            to="/o365/jobs"
            label={t.jobs}
            count={jobs.length}
            {...(running > 0 && { detail: t.jobsRunning({ count: running }) })}
          />
          <Figure
            to="/o365/repositories"
            label={t.repositories}
            count={repositories.filter(isOwned).length}
          />
        </ul>
        <AttentionPanel organizations={organizations} jobs={jobs} now={now} status={status} />
        <Sections status={status} />
      </div>
    </Page>
  );
}

/** A count that links to its list. */
function Figure({
  to,
  label,
  count,
  detail,
}: {
  readonly to: PagePath;
  readonly label: string;
  readonly count: number;
  readonly detail?: string;
}) {
  return (
    <li className="border-t-2 border-head-rule pt-2">
      <Link to={to} className="block rounded-part hover:bg-wash">
        <span className="block">{label}</span>
        <span className="block text-head">{formatCount(count)}</span>
        {detail !== undefined && <span className="block text-agate text-running">{detail}</span>}
      </Link>
    </li>
  );
}

const WAYS = [
  ['/o365/organizations', 'organizations'],
  ['/o365/jobs', 'jobs'],
  ['/monitoring/daily-checks', 'dailyChecks'],
] as const;
const EMPTY = {};
