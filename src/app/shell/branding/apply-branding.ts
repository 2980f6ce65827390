import type { Branding } from '#contract/branding/branding.ts';
import { accentOf, lightenedAccent, sideOf } from './brand-colours.ts';
import type { Accent, Side } from './brand-colours.ts';
import { startMessages as t } from '../start.messages.en.ts';

/**
 * Returns the CSS variables that a brand sets; `tokens.css` reads each of them. Null restores the
 * default.
 */
export function variablesOf(branding: Branding | null): Readonly<Record<string, string | null>> {
  const light = branding?.accent ? accentOf(branding.accent, 'light') : null;
  const dark = branding?.accentDark
    ? accentOf(branding.accentDark, 'dark')
    : branding?.accent
      ? lightenedAccent(branding.accent)
      : null;
  const side = branding?.sidebar ? sideOf(branding.sidebar, 'light') : null;
  const sideDark = branding?.sidebarDark ? sideOf(branding.sidebarDark, 'dark') : null;
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
  for (const [name, value] of Object.entries(variablesOf(branding))) {
    if (value === null) style.removeProperty(name);
    else style.setProperty(name, value);
  }
  favicon(branding?.favIconUrl ?? null);
}

/** Returns the image address if it may be displayed: of this site, or http(s). */
export const imageUrl = (url: string | null): string | null =>
  url !== null && /^(https?:\/\/|\/(?![/\\]))/i.test(url) ? url : null;

export const titleOf = (branding: Branding | null): string => branding?.title.trim() || t.portal;
export const sidebarTitleOf = (branding: Branding | null): string =>
  branding?.sidebarTitle.trim() || t.portal;

const accentVariables = (
  accent: Accent | null,
  ground: '' | '-dark',
): Record<string, string | null> => ({
  [`--brand-accent${ground}`]: accent?.accent ?? null,
  [`--brand-on-accent${ground}`]: accent?.onAccent ?? null,
  [`--brand-accent-wash${ground}`]: accent?.wash ?? null,
  [`--brand-accent-line${ground}`]: accent?.line ?? null,
});

const sideVariables = (side: Side | null, ground: '' | '-dark'): Record<string, string | null> => ({
  [`--brand-sidebar${ground}`]: side?.side ?? null,
  [`--brand-side-on${ground}`]: side?.on ?? null,
  [`--brand-side-line${ground}`]: side?.line ?? null,
});

function favicon(url: string | null): void {
  const href = imageUrl(url) ?? '/mark.svg';
  const link =
    document.querySelector<HTMLLinkElement>('link[rel=icon]') ??
    document.head.appendChild(document.createElement('link'));
  link.rel = 'icon';
  if (link.getAttribute('href') !== href) link.href = href;
}
