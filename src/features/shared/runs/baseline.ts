/**
 * A measure compared with the usual range, on a line of `width` px: edges of the range, left edge
 * of the marker, and whether it is outside.
 */
export interface UsualLine {
  readonly band: readonly [from: number, to: number] | null;
  readonly needle: number | null;
  readonly outside: boolean;
}

const NEEDLE = 2;

/**
 * Starts at zero; the middle of the range is the middle of the line. Values beyond the end are at
 * the end.
 */
export function usualLine(
  value: number | null,
  usual: readonly [low: number, high: number] | null,
  width: number,
): UsualLine {
  if (!usual) return { band: null, needle: null, outside: false };
  const [low, high] = usual;
  const whole = low + high;
  const at = (v: number): number =>
    whole <= 0 ? 0 : round(Math.min(1, Math.max(0, v / whole)) * width);
  return {
    band: [at(low), at(high)],
    needle: value === null ? null : Math.min(width - NEEDLE, Math.max(0, at(value) - NEEDLE / 2)),
    outside: value !== null && (value < low || value > high),
  };
}

const round = (x: number): number => Math.round(x * 10) / 10;
