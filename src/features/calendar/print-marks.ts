import type { CellForm } from './labels.ts';

/**
 * One path per form, to keep the number of DOM nodes of a three-month row small. `hollow`: stroked;
 * all others are filled.
 */
export interface MarkPath {
  readonly form: CellForm;
  readonly d: string;
}

/** Width of a day and height of a row. */
export const DAY = 10;
export const TALL = 16;

/**
 * Marks of a printed row. Height and shape show the state, color only repeats it. Full: failed;
 * hollow: did not run; three quarters: running; over half: warning; a cap over a dash: anomaly; a
 * low dash: success; a dot: not due; a thin line: disabled.
 */
export function markPaths(forms: readonly CellForm[]): readonly MarkPath[] {
  const paths = new Map<CellForm, string>();
  const put = (form: CellForm, d: string): void => {
    paths.set(form, (paths.get(form) ?? '') + d);
  };
  forms.forEach((form, i) => {
    const x = i * DAY + 2;
    switch (form) {
      case 'success':
        return put(form, box(x, TALL - 5, 6, 3));
      case 'warning':
        return put(form, box(x, TALL - 10, 6, 8));
      case 'running':
        return put(form, box(x, TALL - 12, 6, 10));
      case 'failed':
      case 'error':
        return put('failed', box(x, 2, 6, TALL - 4));
      case 'missed':
        return put(form, box(x + 0.5, 2.5, 5, TALL - 5));
      case 'anomaly':
        put(form, box(x, TALL - 10, 6, 3));
        return put('success', box(x, TALL - 5, 6, 3));
      case 'none':
        return put(form, box(x + 2, TALL / 2 - 1, 2, 2));
      case 'off':
        return put(form, box(x, TALL / 2 - 0.5, 6, 1));
      case 'away':
      case 'part':
      case 'loading':
        return put('away', `M${x} ${TALL - 4}l6 -8`);
      case 'ahead':
        return undefined;
    }
  });
  return [...paths].map(([form, d]) => ({ form, d }));
}

const box = (x: number, y: number, w: number, h: number): string => `M${x} ${y}h${w}v${h}h${-w}z`;

/**
 * Returns the first rows up to a number of jobs, with their companies, and the number of omitted
 * jobs.
 */
export function firstJobs<T extends { readonly kind: 'company' | 'job' }>(
  lines: readonly T[],
  jobs: number,
  max: number,
): { readonly lines: readonly T[]; readonly left: number } {
  let count = 0;
  const end = lines.findIndex((line) => line.kind === 'job' && (count += 1) > max);
  const stored = end < 0 ? lines : lines.slice(0, end);
  return {
    lines: stored.slice(0, stored.findLastIndex(({ kind }) => kind === 'job') + 1),
    left: Math.max(0, jobs - Math.min(max, jobs)),
  };
}
