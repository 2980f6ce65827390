/** `G` and then a letter goes to a page. */
export interface Going {
  readonly word: string;
  readonly to: string;
}

/**
 * The letters, in the order of the help sheet. Pages that a person may not open are left out where
 * they are listed.
 */
export const GOES: Readonly<Record<string, Going>> = {
  d: { word: 'Dashboard', to: '/monitoring/dashboard' },
  c: { word: 'Calendar view', to: '/monitoring/calendar-report' },
  j: { word: 'Daily checks', to: '/monitoring/daily-checks' },
};

/** How long the second key may take. */
export const GO_MS = 1_500;

/** What a key means here. `armedAt`: when G was pressed last, null where it was not. */
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
