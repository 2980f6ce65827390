import { Link } from '@tanstack/react-router';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { backupMessages as t } from './messages.en.ts';

/**
 * `/o365/dashboard`: explains which Microsoft 365 data this portal has, and links to it (BILL-8).
 */
export function Overview() {
  const roles = useMe()?.roles ?? [];
  const features = useBranding()?.features ?? null;
  const ways = WAYS.filter(([to]) => mayOpen(PAGES[to], roles, features));
  return (
    <Page title={t.microsoft365}>
      <div className="min-h-full bg-sheet">
        <Notice
          icon="cloud"
          level={2}
          title={t.notBackedUpHere}
          {...(ways.length > 0 && {
            actions: ways.map(([to, word]) => (
              <Link
                key={to}
                to={to}
                className="inline-flex min-h-8 items-center px-2 text-accent underline underline-offset-2 pointer-coarse:min-h-11"
              >
                {word}
              </Link>
            )),
          })}
        >
          <p className="m-0">{t.notBackedUpHereHint}</p>
        </Notice>
      </div>
    </Page>
  );
}

const WAYS = [
  ['/monitoring/daily-checks', t.dailyChecks],
  ['/monitoring/users', t.users],
  ['/monitoring/companies', t.companies],
] as const;
