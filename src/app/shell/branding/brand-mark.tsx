'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import type { Branding } from '#contract/branding/branding.ts';
import { imageUrl } from './apply-branding.ts';

/**
 * The provider's logo at the height of its slot, or the default mark (a daybook with a tick). The
 * provider's name is shown beside it.
 */
export function BrandMark({
  branding,
  height,
}: {
  readonly branding: Branding | null;
  readonly height: number;
}) {
  const url = imageUrl(branding?.sidebarLogoUrl ?? null);
  if (url !== null && branding) {
    const { sidebarLogoWidth: width, sidebarLogoHeight: tall } = branding;
    const wide =
      width !== null && tall !== null && tall > 0
        ? Math.round(Math.min(160, (width / tall) * height))
        : undefined;
    const dark = imageUrl(branding.sidebarLogoDarkUrl ?? null);
    const one = (src: string, shown: string) => (
      <img
        src={src}
        alt=""
        height={height}
        {...(wide !== undefined && { width: wide })}
        className={`max-w-40 shrink-0 object-contain object-left ${shown}`}
        style={{ height }}
      />
    );
    return dark === null ? (
      one(url, '')
    ) : (
      <>
        {one(url, 'dark:hidden')}
        {one(dark, 'hidden dark:block')}
      </>
    );
  }
  return (
    <svg
      viewBox="0 0 24 24"
      width={height}
      height={height}
      className="block shrink-0"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d="M4 3h16v18H4zM8 3v18m3-8.5 2 2 4-5" />
    </svg>
  );
}
