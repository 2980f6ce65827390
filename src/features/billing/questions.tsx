import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { billingMessages as t } from './billing.messages.en.ts';

export const WAY =
  'text-accent underline underline-offset-2 pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center';

/** The provider's contacts for billing questions. `says`: the topics. */
export function Questions({
  title,
  description,
}: {
  readonly title: string;
  readonly description: string;
}) {
  const branding = useBranding();
  const roles = useMe()?.roles ?? [];
  if (branding === null) return null;
  const { name, supportEmail: email, supportPhone: phone, features } = branding;
  const request = mayOpen(PAGES['/monitoring/support/request'], roles, features);
  return (
    <FormSection title={title} description={description}>
      {email === null && phone === null && !request ? (
        <p className="m-0 text-ink-2">{t.noContact({ provider: name })}</p>
      ) : (
        <ul className="m-0 list-none p-0">
          {email !== null && (
            <Way label={t.email}>
              <a className={WAY} href={`mailto:${email}`}>
                {email}
              </a>
            </Way>
          )}
          {phone !== null && (
            <Way label={t.phone}>
              <a className={WAY} href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>
                {phone}
              </a>
            </Way>
          )}
          {request && (
            <Way label={t.request}>
              <Link to="/monitoring/support/request" className={WAY}>
                {t.writeSupportRequest}
              </Link>
            </Way>
          )}
        </ul>
      )}
    </FormSection>
  );
}

function Way({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 border-b border-hair py-2">
      <span className="w-16 text-ink-2">{label}</span>
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}
