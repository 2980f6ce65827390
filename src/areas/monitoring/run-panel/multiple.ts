/** One small multiple: a measure over the last runs, oldest first, on a scale that begins at zero. Lengths in px. */
export interface Drawn {
  readonly band: { readonly y: number; readonly height: number } | null;
  readonly line: string;
  readonly crosses: string;
}
export interface Point { readonly value: number | null; readonly failed: boolean }

const PAD = 3;
const ARM = 2.5;

/** Runs without a value leave a gap in the line. */
export function drawMultiple(points: readonly Point[], usual: readonly [low: number, high: number] | null, width: number, height: number): Drawn {
  const most = Math.max(1, usual?.[1] ?? 0, ...points.map(({ value }) => value ?? 0)) * 1.08;
  const y = (value: number): number => round((height - 1) * (1 - value / most));
  const step = points.length < 2 ? 0 : (width - 2 * PAD) / (points.length - 1);
  let line = '';
  let crosses = '';
  let drawing = false;
  points.forEach(({ value, failed }, i) => {
    const x = round(PAD + i * step);
    if (failed) crosses += cross(x, value === null ? y(0) - ARM : Math.min(y(value), height - 1 - ARM));
    if (value === null) { drawing = false; return; }
    line += `${drawing ? 'L' : 'M'}${x} ${y(value)}`;
    drawing = true;
  });
  return { band: usual && { y: y(usual[1]), height: Math.max(1, round(y(usual[0]) - y(usual[1]))) }, line, crosses };
}

const cross = (x: number, y: number): string => `M${round(x - ARM)} ${round(y - ARM)}l5 5m0-5-5 5`;
const round = (value: number): number => Math.round(value * 10) / 10;
