import { Link } from '@tanstack/react-router';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { useBranding } from '../session/session.ts';
import { Notice } from './notice-page.tsx';
import { getTitle } from './branding/apply-branding.ts';
import { startMessages as t } from './start.messages.en.ts';

export function NotFound() {
  const title = getTitle(useBranding());
  return (
    <main className="h-full overflow-auto bg-paper">
      <title>{t.pageTitle({ page: t.notFound, portal: title })}</title>
      <Notice
        icon="search"
        title={t.notFound}
        actions={
          <Link to="/" className="text-accent underline underline-offset-2">
            {t.goToStart}
          </Link>
        }
      >
        <p className="m-0">{BASE.pageNotFound}</p>
      </Notice>
    </main>
  );
}
