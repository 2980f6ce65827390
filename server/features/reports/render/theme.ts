import { LIGHT } from '#contract/branding/palette.ts';

/**
 * The theme of a provider's reports. Colors are `#rrggbb`; the logo is on the sidebar color, as in
 * the portal.
 */
export interface ReportTheme {
  readonly provider: string;
  readonly side: string;
  readonly sideInk: string;
  readonly accent: string;
  readonly logo: Logo | null;
}
export type Logo =
  | { readonly kind: 'raster'; readonly type: 'image/png' | 'image/jpeg'; readonly base64: string }
  | { readonly kind: 'svg'; readonly text: string };

/** The portal's colors for paper. */
export const PAPER = { ...LIGHT, off: LIGHT.trace } as const;
