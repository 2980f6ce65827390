'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import type { ReactNode } from 'react';
import { useBranding } from '#src/app/session/session.ts';
import { getTitle } from '#src/app/shell/branding/apply-branding.ts';
import { SignInBrand } from './sign-in/sign-in-brand.tsx';

export interface AccountPageProps {
  /** Title of the page and of its tab. */
  readonly title: string;
  /** A line below the heading. */
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** Layout of the pages for signed-out visitors: the provider's brand and one column. */
export function AccountPage({ title, description, children }: AccountPageProps) {
  const branding = useBranding();
  return (
    <div className="grid min-h-dvh grid-rows-[auto_minmax(0,1fr)] bg-sheet desk:grid-cols-[minmax(320px,560px)_minmax(0,1fr)] desk:grid-rows-1">
      <title>{`${title} - ${getTitle(branding)}`}</title>
      <SignInBrand branding={branding} />
      <main className="grid content-start justify-items-center px-5 py-10 desk:pt-[max(2.5rem,20vh)]">
        <div className="grid w-full max-w-[360px] gap-5">
          <div>
            <h1 className="m-0 text-head" tabIndex={-1}>
              {title}
            </h1>
            {description !== undefined && (
              <p className="m-0 mt-1 break-words text-ink-2">{description}</p>
            )}
          </div>
          {children}
        </div>
      </main>
    </div>
  );
}

/** A link to a sign-in outside of the portal, as wide as the form. */
export function SignInLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a
      href={href}
      className="inline-flex h-10 w-full min-w-0 items-center justify-center rounded-part border border-control bg-sheet px-3 text-ink hover:bg-wash pointer-coarse:min-h-11"
    >
      <span className="truncate">{children}</span>
    </a>
  );
}
