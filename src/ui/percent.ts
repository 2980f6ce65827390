/**
 * A part of a total in percent: from 0 to 100 whatever the numbers, and 0 where they
 * make no share.
 */
export function percentOf(part: number, total: number): number {
  const percent = (part / total) * 100;
  return Number.isFinite(percent) ? Math.min(100, Math.max(0, percent)) : 0;
}
