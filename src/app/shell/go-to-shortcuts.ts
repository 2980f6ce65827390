/** The pages that `G`, then a letter opens. Callers leave out pages that a user can't open. */
export const GOES: Readonly<Record<string, string>> = {
  d: '/monitoring/dashboard',
  c: '/monitoring/calendar-report',
  j: '/monitoring/daily-checks',
};

/** How long the second key may take, in milliseconds. */
export const GO_MS = 1_500;

/** Returns what a key press does. `armedAt`: when G was pressed last, or null. */
export function getShortcutStep(
  key: string,
  at: number,
  armedAt: number | null,
):
  | { readonly kind: 'arm' }
  | { readonly kind: 'go'; readonly to: string }
  | { readonly kind: 'none' } {
  const letter = key.toLowerCase();
  if (armedAt !== null && at - armedAt <= GO_MS) {
    const going = Object.hasOwn(GOES, letter) ? GOES[letter] : undefined;
    if (going !== undefined) return { kind: 'go', to: going };
  }
  return letter === 'g' ? { kind: 'arm' } : { kind: 'none' };
}
