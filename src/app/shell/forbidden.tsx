import { Link } from '@tanstack/react-router';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { getHomePage, getMenu } from '../router/menu.ts';
import { useBranding, useMe } from '../session/session.ts';
import { Notice } from './notice-page.tsx';
import { Page } from './page.tsx';
import { richText } from '../../ui/rich-text.tsx';
import { shellMessages as t } from './shell.messages.en.ts';
import { startMessages } from './start.messages.en.ts';

/** The page for users who do not have access to the requested one. */
export function Forbidden() {
  const roles = useMe()?.roles ?? [];
  const branding = useBranding();
  const support = branding?.supportEmail ?? null;
  return (
    <Page title={t.noAccess}>
      <Notice
        icon="lock"
        level={2}
        title={BASE.forbidden}
        {...(getMenu(roles, branding?.features).length > 0 && {
          actions: (
            <Link
              to={getHomePage(roles, branding?.features)}
              className="inline-flex min-h-6 items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
            >
              {startMessages.goToStart}
            </Link>
          ),
        })}
      >
        <p className="m-0">
          {support === null
            ? t.noAccessHint
            : richText(t.noAccessSupport, {
                email: (
                  <a
                    className="text-accent underline underline-offset-2 pointer-coarse:-my-3.5 pointer-coarse:inline-block pointer-coarse:py-3.5"
                    href={`mailto:${support}`}
                  >
                    {support}
                  </a>
                ),
              })}
        </p>
      </Notice>
    </Page>
  );
}
