import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, firstJobs, markPaths, TALL } from '#src/features/calendar/print-marks.ts';
import { LEGEND } from '#src/features/calendar/labels.ts';

test('CALV-9: on paper each state has a shape of its own, without its color', () => {
  const forms = LEGEND.filter((form) => form !== 'error');
  const drawn = forms.map((form) => JSON.stringify(markPaths([form]).map(({ d }) => d)));
  expect(new Set(drawn).size).toBe(forms.length);
});

test('CALV-9: a line has its marks in the order of days, each inside its own', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...LEGEND), { minLength: 1, maxLength: 92 }), (forms) => {
      const days = markPaths(forms).flatMap(({ d }) =>
        [...d.matchAll(/M([\d.]+) ([\d.]+)/g)].map((at) => [Number(at[1]), Number(at[2])] as const),
      );
      for (const [x, y] of days)
        expect(x % DAY >= 2 && x % DAY < 8 && y > 0 && y < TALL).toBe(true);
      expect(new Set(days.map(([x]) => Math.floor(x / DAY))).size).toBe(forms.length);
    }),
  );
});

test('CALV-9: all jobs are printed up to a limit, the others are counted, and no company is without a job', () => {
  const line = fc.constantFrom<{ kind: 'company' | 'job' }>({ kind: 'company' }, { kind: 'job' });
  fc.assert(
    fc.property(fc.array(line), fc.integer({ min: 1, max: 12 }), (tail, max) => {
      const lines = [{ kind: 'company' as const }, { kind: 'job' as const }, ...tail];
      const jobs = lines.filter(({ kind }) => kind === 'job').length;
      const { lines: printed, left } = firstJobs(lines, jobs, max);
      const count = printed.filter(({ kind }) => kind === 'job').length;
      expect(count).toBe(Math.min(max, jobs));
      expect(count + left).toBe(jobs);
      expect(printed.at(-1)?.kind).toBe('job');
    }),
  );
});
