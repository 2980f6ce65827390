import type { Branding } from '#contract/branding/branding.ts';
import { getAccent, lightenedAccent, getSide } from './brand-colours.ts';
import type { Accent, Side } from './brand-colours.ts';
import { startMessages as t } from '../start.messages.en.ts';

/**
 * Returns the CSS variables that a brand sets; `tokens.css` reads each of them. Null restores the
 * default.
 */
export function getVariables(branding: Branding | null): Readonly<Record<string, string | null>> {
  const light = branding?.accent ? getAccent(branding.accent, 'light') : null;
  const dark = branding?.accentDark
    ? getAccent(branding.accentDark, 'dark')
    : branding?.accent
      ? lightenedAccent(branding.accent)
      : null;
  const side = branding?.sidebar ? getSide(branding.sidebar, 'light') : null;
  const sideDark = branding?.sidebarDark ? getSide(branding.sidebarDark, 'dark') : null;
  return {
    ...accentVariables(light, ''),
    ...accentVariables(dark, '-dark'),
    ...sideVariables(side, ''),
    ...sideVariables(sideDark, '-dark'),
  };
}

/** Applies colors and favicon to the document. Each page sets its own title. */
export function applyBranding(branding: Branding | null): void {
  const { style } = document.documentElement;
  for (const [name, value] of Object.entries(getVariables(branding))) {
    if (value === null) style.removeProperty(name);
    else style.setProperty(name, value);
  }
  favicon(branding?.favIconUrl ?? null);
}

/** Returns the image address if it may be displayed: of this site, or http(s). */
export const imageUrl = (url: string | null): string | null =>
  url !== null && /^(https?:\/\/|\/(?![/\\]))/i.test(url) ? url : null;

export const getTitle = (branding: Branding | null): string => branding?.title.trim() || t.portal;
export const getSidebarTitle = (branding: Branding | null): string =>
  branding?.sidebarTitle.trim() || t.portal;

const accentVariables = (
  accent: Accent | null,
  context: '' | '-dark',
): Record<string, string | null> => ({
  [`--brand-accent${context}`]: accent?.accent ?? null,
  [`--brand-on-accent${context}`]: accent?.onAccent ?? null,
  [`--brand-accent-wash${context}`]: accent?.wash ?? null,
  [`--brand-accent-line${context}`]: accent?.line ?? null,
});

const sideVariables = (
  side: Side | null,
  context: '' | '-dark',
): Record<string, string | null> => ({
  [`--brand-sidebar${context}`]: side?.side ?? null,
  [`--brand-side-on${context}`]: side?.on ?? null,
  [`--brand-side-line${context}`]: side?.line ?? null,
});

function favicon(url: string | null): void {
  const href = imageUrl(url) ?? '/mark.svg';
  const link =
    document.querySelector<HTMLLinkElement>('link[rel=icon]') ??
    document.head.appendChild(document.createElement('link'));
  link.rel = 'icon';
  if (link.getAttribute('href') !== href) link.href = href;
}
