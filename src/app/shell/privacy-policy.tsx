import type { ReactElement, ReactNode } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { uiMessages } from '#src/ui/messages.en.ts';
import { richText } from '../../ui/rich-text.tsx';
import { privacyMessages as t } from './privacy-policy.messages.en.ts';

/** Lists which personal data the portal stores and with whom it is shared. */
export function PrivacyPolicy({
  branding,
  onClose,
}: {
  readonly branding: Branding;
  readonly onClose: () => void;
}) {
  const { name, supportEmail, supportPhone } = branding;
  return (
    <Dialog
      title={t.title}
      wide
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {uiMessages.close}
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-4 px-5 py-4">
        <p className="m-0">{t.intro({ provider: name })}</p>
        {PARTS.map((part) => (
          <section key={part} className="grid gap-1">
            <h3 className="m-0 font-semibold text-body">{t[part]}</h3>
            <p className="m-0 text-ink-2">{t[`${part}Text`]}</p>
          </section>
        ))}
        <section className="grid gap-1">
          <h3 className="m-0 font-semibold text-body">{t.contact}</h3>
          <p className="m-0 break-words text-ink-2">{contactText(supportEmail, supportPhone)}</p>
        </section>
      </div>
    </Dialog>
  );
}

const link = (href: string, text: string): ReactElement => (
  <a className="text-accent underline underline-offset-2" href={href}>
    {text}
  </a>
);

function contactText(email: string | null, phone: string | null): ReactNode {
  if (email === null && phone === null) return t.contactAdministrator;
  const values = {
    email: link(`mailto:${email ?? ''}`, email ?? ''),
    phone: link(`tel:${(phone ?? '').replaceAll(/[^\d+]/g, '')}`, phone ?? ''),
  };
  return richText(
    phone === null ? t.contactEmail : email === null ? t.contactPhone : t.contactEither,
    values,
  );
}

const PARTS = [
  'cookies',
  'device',
  'webLogs',
  'emailVendors',
  'children',
  'disclosures',
  'optOut',
] as const;
