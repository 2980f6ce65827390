import { formatList } from '#contract/i18n/list.ts';
import type { RunState } from '#contract/runs/query.ts';
import { STATES } from '#src/ui/states.ts';
import { runMessages as t } from './messages.en.ts';

/** Sizes of the strip's bars in px: wide in the grid, narrow on cards and in the panel. */
export interface StripSize {
  readonly bar: number;
  readonly step: number;
  readonly tall: number;
}
export const WIDE: StripSize = { bar: 4, step: 6, tall: 16 };
export const NARROW: StripSize = { bar: 2, step: 4, tall: 16 };
export const SMALL: StripSize = { bar: 3, step: 5, tall: 12 };

/**
 * One path per form, so that a row needs a few DOM nodes instead of fourteen. `hollow`: stroked;
 * all others are filled.
 */
export interface StripPath {
  readonly mark: Mark;
  readonly d: string;
}
export type Mark = 'failed' | 'missed' | 'warning' | 'anomaly' | 'running' | 'success' | 'none';

/** Today is separated by 2 px. */
export const stripWidth = (days: number, size: StripSize): number =>
  (days - 1) * size.step + 2 + size.bar;

/**
 * Height and shape show the state, color repeats it: a low dash is a success, over half a warning,
 * full a failure, hollow "did not run", three quarters running, a cap over a dash an anomaly, a
 * hairline "nothing was due".
 */
export function stripPaths(
  strip: readonly (RunState | null)[],
  size: StripSize,
): readonly StripPath[] {
  const paths = new Map<Mark, string>();
  const put = (mark: Mark, d: string): void => {
    paths.set(mark, (paths.get(mark) ?? '') + d);
  };
  strip.forEach((state, i) => {
    const x = i * size.step + (i === strip.length - 1 ? 2 : 0);
    const { bar, tall } = size;
    const low = tall / 4;
    switch (state) {
      case null:
        return put('none', box(x, tall - 1, bar, 1));
      case 'Success':
        return put('success', box(x, tall - low, bar, low));
      case 'Warning':
        return put('warning', box(x, Math.round(tall * 0.44), bar, tall - Math.round(tall * 0.44)));
      case 'Running':
        return put('running', box(x, low, bar, tall - low));
      case 'Missed':
        return put(
          'missed',
          size.bar > 2 ? box(x + 0.5, 1.5, bar - 1, tall - 2) : dots(x, bar, tall),
        );
      case 'Anomaly':
        put('anomaly', box(x, tall - low * 2 - 1, bar, low));
        return put('success', box(x, tall - low, bar, low));
      case 'Failed':
      case 'Error':
        return put('failed', box(x, 0, bar, tall));
    }
  });
  return [...paths].map(([mark, d]) => ({ mark, d }));
}

/** "14 days to 11/20/26: 12 success, 1 not due, 1 failed". */
export function stripWords(strip: readonly (RunState | null)[], today: string): string {
  const counts = new Map<string, number>();
  for (const state of strip) {
    const word = state === null ? t.notDue : STATES[state].label.toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return t.stripLabel({
    days: strip.length,
    date: today,
    states: formatList(
      [...counts].map(([state, count]) => t.stripState({ count, state })),
      'plain',
    ),
  });
}

const box = (x: number, y: number, w: number, h: number): string => `M${x} ${y}h${w}v${h}h${-w}z`;
const dots = (x: number, w: number, tall: number): string => {
  let d = '';
  for (let y = 0; y < tall; y += 4) d += box(x, y, w, 2);
  return d;
};
