/** Returns a circle as an SVG path. */
export const ring = (x: number, y: number, r: number): string =>
  `M${x + r} ${y}a${r} ${r} 0 1 1-${2 * r} 0 ${r} ${r} 0 1 1 ${2 * r} 0`;
export const RING = ring(8, 8, 6.25);

/**
 * On a grid of 16 × 16: icons that the sign-in page can need. The others load with the first screen
 * after it (`icon-more.ts`).
 */
export const FIRST = {
  'failed': `${RING}M5.75 5.75l4.5 4.5m0-4.5-4.5 4.5`,
  'error': `${RING}M8 4.75V8.5M8 11v.01`,
  'warning': 'M8 2 14.5 13.5h-13zM8 6.5v3.25M8 11.6v.01',
  'success': 'm2.75 8.5 3.5 3.5 7-7.5',
  'check': 'm3 8.25 3.25 3.5L13 4.5',
  'sync':
    'M13.75 7A5.75 5.75 0 0 0 3.1 5M2.5 2v3.25h3.25M2.25 9A5.75 5.75 0 0 0 12.9 11M13.5 14v-3.25h-3.25',
  'key': `${ring(5, 11, 2.75)}M7 9l6.5-6.5M10.25 5.75l2 2M12 4l1.5 1.5`,
  'mail': 'M1.75 3.25h12.5v9.5H1.75zM2 3.75l6 5 6-5',
  'phone':
    'M3.25 2h2.5L7 5.25 5.25 6.5c.75 1.75 2.5 3.5 4.25 4.25L10.75 9 14 10.25v2.5c0 .75-.5 1.25-1.25 1.25C7 13.75 2.25 9 2 3.25 2 2.5 2.5 2 3.25 2z',
  'eye': `M1.25 8C3 5 5.25 3.5 8 3.5S13 5 14.75 8C13 11 10.75 12.5 8 12.5S3 11 1.25 8z${ring(8, 8, 2)}`,
  'eye-off':
    'm2 2 12 12M6.25 3.75C6.8 3.6 7.4 3.5 8 3.5c2.75 0 5 1.5 6.75 4.5-.5.9-1.1 1.65-1.75 2.25M3.75 5C2.75 5.75 2 6.75 1.25 8 3 11 5.25 12.5 8 12.5c1.2 0 2.3-.3 3.25-.85M6.6 6.6a2 2 0 0 0 2.8 2.8',
} as const satisfies Readonly<Record<string, string>>;
