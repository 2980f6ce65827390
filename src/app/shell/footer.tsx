import { Suspense, useState } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import { lazyDialog } from '../../ui/lazy-dialog.ts';
import { shellMessages as t } from './shell.messages.en.ts';

const PrivacyPolicy = lazyDialog(async () => (await import('./privacy-policy.tsx')).PrivacyPolicy);

/**
 * The footer below the dashboard, if the provider has enabled it: provider name, privacy policy and
 * social links.
 */
export function Footer({ branding }: { readonly branding: Branding }) {
  const [open, setOpen] = useState(false);
  const { features, name, supportEmail } = branding;
  return (
    <footer className="flex min-h-9 flex-wrap items-center gap-x-5 border-t border-rule bg-paper px-4 text-agate text-ink-2 tablet:px-5">
      <span className="min-w-0 truncate" data-tip={name}>
        {name}
      </span>
      {features.privacyPolicy && (
        <button type="button" onClick={() => setOpen(true)} className={LINK}>
          {t.privacyPolicy}
        </button>
      )}
      {supportEmail !== null && (
        <a href={`mailto:${supportEmail}`} className={LINK}>
          {supportEmail}
        </a>
      )}
      {features.socialMedia.links.length > 0 && (
        <ul aria-label={t.socialMedia} className="m-0 ml-auto flex list-none flex-wrap gap-x-4 p-0">
          {features.socialMedia.links.map(({ platform, link }) => (
            <li key={link}>
              <a href={link} target="_blank" rel="noreferrer" className={LINK}>
                {platform}
              </a>
            </li>
          ))}
        </ul>
      )}
      {open && (
        <Suspense>
          <PrivacyPolicy branding={branding} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </footer>
  );
}

const LINK =
  'inline-flex min-h-6 items-center underline underline-offset-2 hover:text-ink pointer-coarse:min-h-11';
