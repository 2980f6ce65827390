import * as fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { prerender } from 'react-dom/static';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { BarList } from '#src/ui/bar-list.tsx';
import { getPercent } from '#src/ui/percent.ts';
import { Ring } from '#src/ui/ring.tsx';

test('PAGE-8: a share is from 0 to 100 percent whatever the numbers are', () => {
  fc.assert(
    fc.property(fc.double(), fc.double(), (part, whole) => {
      const percent = getPercent(part, whole);
      expect(percent >= 0 && percent <= 100).toBe(true);
    }),
  );
  expect([
    getPercent(1, 4),
    getPercent(340, 312),
    getPercent(-3, 10),
    getPercent(0, 0),
    getPercent(3, 0),
    getPercent(Number.NaN, 5),
  ]).toEqual([25, 100, 0, 0, 0, 0]);
});

const drawn = (done: number, of: number): number =>
  Number(
    /stroke-dasharray="([^ "]+)/.exec(
      renderToStaticMarkup(createElement(Ring, { done, of })),
    )?.[1] ?? 0,
  );
/** The widths of a ranking's bars, once the library that draws them has loaded. */
async function bars(...values: readonly number[]): Promise<readonly string[]> {
  const entries = values.map((value, key) => ({ key, title: 'Job', value, description: '1' }));
  const { prelude } = await prerender(createElement(BarList, { entries, empty: '' }));
  const html = await new Response(prelude).text();
  return [...html.matchAll(/width:([^";]+)["; ]/g)].map(([, width]) => width ?? '');
}

test('PAGE-8: a ring and a bar draw at most 100 percent and nothing for an invalid number', async () => {
  const full = 2 * Math.PI * 12;
  expect(drawn(400, 340)).toBeCloseTo(full);
  expect(drawn(-5, 340)).toBe(0);
  expect(drawn(Number.NaN, 340)).toBe(0);
  expect(drawn(170, 340)).toBeCloseTo(full / 2);
  expect(await bars(4, 2, -1)).toEqual(['100%', '50%', '0%']);
  expect(await bars(Number.NaN, 1)).toEqual(['0%', '100%']);
  expect(await bars(1_000, 1, 0)).toEqual(['100%', '2%', '0%']);
});
