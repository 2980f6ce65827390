import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { hasChat, setChat } from '#src/app/shell/chat/chat-state.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useAreaPage } from '#src/app/router/area.ts';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { supportMessages as t } from './messages.en.ts';

/** `/monitoring/support/live`: how to reach the portal's support directly. It works offline. */
export function LiveSupport() {
  const branding = useBranding();
  const me = useMe();
  const request = useAreaPage('/monitoring/support/request');
  const roles = me?.roles ?? [];
  if (branding === null) return <Page title={t.liveTitle}>{null}</Page>;
  const { name, supportPhone: phone, supportEmail: email, features } = branding;
  const chat = features.chat?.url ?? null;
  const widget = hasChat(me, branding);
  const writes = mayOpen(PAGES[request], roles, features);
  return (
    <Page title={t.liveTitle}>
      <div className="min-h-full bg-sheet px-4 py-5 tablet:px-5">
        {phone === null && email === null && chat === null && !widget ? (
          <Notice icon="request" level={2} title={t.liveNone}>
            <p className="m-0">
              {t.liveNoneHint({ name })}{' '}
              {writes && (
                <Link to={request} className={LINK}>
                  {t.writeRequest}
                </Link>
              )}
            </p>
          </Notice>
        ) : (
          <div className="max-w-[760px]">
            <FormSection title={name} description={t.liveHint}>
              <ul className="m-0 list-none p-0">
                {phone !== null && (
                  <Way label={t.phone}>
                    <a className={WAY} href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>
                      {phone}
                    </a>
                  </Way>
                )}
                {widget && (
                  <Way label={t.chat}>
                    <button
                      type="button"
                      aria-haspopup="dialog"
                      className={WAY}
                      onClick={() => setChat('open')}
                    >
                      {t.chatHere}
                    </button>
                  </Way>
                )}
                {chat !== null && (
                  <Way label={widget ? '' : t.chat}>
                    <a className={WAY} href={chat} target="_blank" rel="noreferrer">
                      {t.openChat}
                      <span className="sr-only"> {t.inNewTab}</span>
                      <Icon name="external" size={12} />
                    </a>
                  </Way>
                )}
                {email !== null && (
                  <Way label={t.email}>
                    <a className={WAY} href={`mailto:${email}`}>
                      {email}
                    </a>
                  </Way>
                )}
              </ul>
              {writes && (
                <p className="m-0 text-ink-2">
                  {t.notUrgent}{' '}
                  <Link to={request} className={LINK}>
                    {t.writeRequest}
                  </Link>
                </p>
              )}
            </FormSection>
          </div>
        )}
      </div>
    </Page>
  );
}

const LINK = 'text-accent underline underline-offset-2';
const WAY = `${LINK} inline-flex max-w-full items-center gap-1.5 pointer-coarse:min-h-11`;

function Way({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 border-b border-hair py-2">
      <span className="w-16 text-ink-2">{label}</span>
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}
