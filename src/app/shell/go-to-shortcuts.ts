/** A page shortcut: `G`, then a letter. */
export interface Going {
  readonly word: string;
  readonly to: string;
}

/**
 * The shortcuts, in the order of the help dialog. The callers leave out pages that a user cannot
 * open.
 */
export const GOES: Readonly<Record<string, Going>> = {
  d: { word: 'Dashboard', to: '/monitoring/dashboard' },
  c: { word: 'Calendar view', to: '/monitoring/calendar-report' },
  j: { word: 'Daily checks', to: '/monitoring/daily-checks' },
};

/** How long the second key may take, in milliseconds. */
export const GO_MS = 1_500;

/** Returns what a key press does. `armedAt`: when G was pressed last, or null. */
export function goOf(
  key: string,
  at: number,
  armedAt: number | null,
): { readonly is: 'arm' } | { readonly is: 'go'; readonly to: string } | { readonly is: 'none' } {
  const letter = key.toLowerCase();
  if (armedAt !== null && at - armedAt <= GO_MS) {
    const going = Object.hasOwn(GOES, letter) ? GOES[letter] : undefined;
    if (going) return { is: 'go', to: going.to };
  }
  return letter === 'g' ? { is: 'arm' } : { is: 'none' };
}
