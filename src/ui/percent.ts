/**
 * Returns a part of a total in percent, between 0 and 100 for all numbers, and 0 if they form no
 * ratio.
 */
export function getPercent(part: number, total: number): number {
  const percent = (part / total) * 100;
  return Number.isFinite(percent) ? Math.min(100, Math.max(0, percent)) : 0;
}
