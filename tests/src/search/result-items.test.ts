import { expect, test } from 'vitest';
import type { FoundOut } from '#contract/search/calls.ts';
import { soughtIn } from '#contract/search/search.ts';
import { lineOfResults, linesHere, linesThere } from '#src/features/search/result-items.ts';
import type { PaletteLine } from '#src/features/search/palette-items.ts';

const AT = Date.parse('2026-08-14T23:30:00Z');
const NOW = Date.parse('2026-11-20T08:00:00Z');
const RULE = { zone: 'Europe/Berlin', hour: 0 };
const one = <T>(row: T) => ({ rows: [row], more: false });
const harbour = { company: 3, companyName: 'Calloway' };
const FOUND: FoundOut = {
  companies: one({ n: 3, _id: 'c-3', name: 'Calloway' }),
  jobs: one({ n: 7, name: 'Files', computer: 'pc', ...harbour }),
  computers: one({ _id: 'x', name: 'PC-1', seenAt: AT, ...harbour }),
  users: one({ _id: 'u', username: 'dana', name: 'Dana Reyes' }),
  repositories: one({ _id: 'r/1', name: 'Store', hostName: null, ...harbour }),
  tickets: one({ _id: 't', number: 'D-1', subject: 'Full', open: false, ...harbour }),
  rules: one({ _id: 'ru', name: 'Known' }),
  hints: one({ _id: 'h', name: 'Prune' }),
  results: one({
    n: 9,
    job: 7,
    jobName: 'Files',
    computer: 'pc',
    ...harbour,
    startedAt: AT,
    state: 'Missed',
    message: null,
  }),
};
const where = (lines: readonly PaletteLine[]): Readonly<Record<string, string>> =>
  Object.fromEntries(lines.map(({ key, does }) => [key, does.kind === 'open' ? does.to : '']));

test('SEEK-5: every search result links to its own view', () => {
  const list = '/monitoring/daily-checks?date=last-30&review=any&rows=runs&order=newest&job=7';
  expect(where(linesThere(FOUND, ['operator'], RULE, NOW))).toEqual({
    'company-3': '/monitoring/daily-checks?date=last-7&review=any&company=3',
    'job-7': list,
    'computer-3-pc-1': '/monitoring/computers?date=2026-08-15..2026-11-20&q=PC-1',
    'user-u': '/monitoring/users?user=u',
    'repository-r/1': '/monitoring/repositories?open=r%2F1',
    'ticket-t': '/monitoring/tickets?state=all&ticket=t',
    'rule-ru': '/monitoring/rules?rule=ru',
    'hint-h': '/monitoring/hints?hint=h',
    'result-9': `${list}&run=9`,
  });
  expect(where(linesThere(FOUND, ['admin'], RULE, NOW))['company-3']).toBe(
    '/monitoring/companies?company=c-3',
  );
  expect(linesThere(FOUND, ['operator'], RULE, NOW).at(-1)).toMatchObject({
    state: 'Missed',
    label: 'Files',
    detail: '08/15/26, Calloway, pc',
    group: 'Older results',
  });
});

test('SEEK-4: results of this device and of the server have the same keys', () => {
  const here = linesHere({
    jobs: { count: 1, rows: [{ job: 7, name: 'Files', ...harbour, computer: 'pc' }] },
    companies: { count: 1, rows: [{ company: 3, name: 'Calloway', jobs: 1 }] },
    computers: { count: 1, rows: [{ name: 'pc-1', ...harbour, jobs: 1 }] },
  });
  const keys = new Set(here.map(({ key }) => key));
  expect(
    linesThere(FOUND, ['operator'], RULE, NOW)
      .filter(({ key }) => keys.has(key))
      .map(({ group }) => group),
  ).toEqual(['Companies on the server', 'Jobs on the server', 'Reported computers']);
});

const line = (text: string) => {
  const found = lineOfResults(soughtIn(text), text, '2026-10-22');
  return found && where([found])['results-here'];
};

test('SEEK-5: results on this device link to their list, for stored days', () => {
  expect(line(' Space left ')).toBe(
    '/monitoring/daily-checks?review=any&rows=runs&order=newest&date=last-30&q=space+left',
  );
  expect(line('11/14/26')).toBe(
    '/monitoring/daily-checks?review=any&rows=runs&order=newest&date=2026-11-14..2026-11-14',
  );
  expect(line('space 2026-10')).toBe(
    '/monitoring/daily-checks?review=any&rows=runs&order=newest&date=2026-10-01..2026-10-31&q=space',
  );
  expect(line('space 8/14/26')).toBeNull();
});
