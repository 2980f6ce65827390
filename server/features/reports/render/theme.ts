/**
 * The theme of a provider's reports. Colors are `#rrggbb`; the logo is on the sidebar color, as in
 * the portal.
 */
export interface Look {
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
export const PAPER = {
  ink: '#1f1d18',
  ink2: '#514c43',
  ink3: '#68625a',
  hair: '#e6e0d4',
  rule: '#cfc7b8',
  head: '#1f1d18',
  wash: '#f1ede4',
  failed: '#b3261e',
  warning: '#7a5600',
  anomaly: '#a34208',
  running: '#0e639c',
  success: '#2c6a3e',
  missed: '#4a4238',
  failedMark: '#c5392f',
  warningMark: '#ad7c00',
  anomalyMark: '#cc5b14',
  runningMark: '#2f86bf',
  successMark: '#6f8d72',
  off: '#8a8375',
} as const;
