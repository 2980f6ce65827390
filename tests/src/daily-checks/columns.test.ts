import { readFileSync } from 'node:fs';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { RunView } from '#contract/runs/query.ts';
import { Row } from '#src/features/daily-checks/row.tsx';
import { COLUMN_IDS } from '#src/features/shared/runs/columns.ts';

const AT = Date.UTC(2026, 10, 21, 7, 46);
const row: RunView = {
  n: 1,
  job: 1,
  jobName: 'Files',
  company: 1,
  companyName: 'Calloway',
  computer: 'fs01',
  source: 'restic',
  type: 'Backup',
  managed: null,
  scheduleState: null,
  status: 'Success',
  state: 'Success',
  startedAt: AT,
  durationSec: 60,
  usualDuration: null,
  bytes: 1,
  usualBytes: null,
  message: null,
  template: null,
  strip: [],
  lastGoodAt: AT,
  review: 'none',
  problem: null,
  waiting: false,
};

test('DAY-21: every column has a cell in each row, a place in the grid, and rules for hiding and locking it', () => {
  const html = renderToStaticMarkup(
    createElement(Row, {
      row,
      index: 0,
      apart: null,
      selected: false,
      cursor: false,
      tabbed: false,
      open: false,
      canAct: true,
      me: 'u1',
      zone: 'UTC',
      now: AT,
    }),
  );
  const css = readFileSync('src/styles/runs.css', 'utf8').replaceAll(/\s+/g, ' ');
  const parts = (id: string): readonly (readonly [part: string, isThere: boolean])[] => [
    ['cell', new RegExp(`class="dc-${id}[ "]`).test(html)],
    ['grid area', new RegExp(`\\.dc-${id} \\{[^}]*grid-area: ${id};`).test(css)],
    ['hidden', css.includes(`[data-hidden~='${id}'] .dc-${id}`)],
    ['locked', css.includes(`[data-stuck~='${id}'] .dc-${id}`)],
    ['place when locked', css.includes(`.dc-${id} { left: var(--dc-left-${id}); }`)],
  ];
  const missing = COLUMN_IDS.flatMap((id) =>
    parts(id).flatMap(([part, isThere]) => (isThere ? [] : [`${id}: ${part}`])),
  );
  expect(missing).toEqual([]);
  expect(parts('nothing').filter(([, isThere]) => isThere)).toEqual([]);
});
