import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { company, job } from '#tests/workers/columns/arbitrary.ts';
import { makeBoth } from '#tests/workers/columns/both.ts';
import { makeFinder } from '#workers/search/search.ts';

const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);
const WORDS = [
  'SQL',
  'sql prod',
  'prod-sql',
  'mysql',
  'Exchange',
  'x-sql2',
  'Straße',
  'İstanbul',
  'ΟΔΟΣ',
  'a',
  '',
  '😀sql',
  'sqlsql sql',
  'ésql',
];
const named = fc.constantFrom(...WORDS);

/**
 * 0 where the name begins with it, 1 where a word does, 2 where it holds it, 3 where it does not.
 */
function getSort(name: string, key: string): number {
  const low = name.toLowerCase();
  if (low.startsWith(key)) return 0;
  if (!low.includes(key)) return 3;
  const starts = [...low.matchAll(/(?<![\p{L}\p{N}\p{M}])(?=[\s\S])/gu)].map(({ index }) => index);
  return starts.some((at) => low.startsWith(key, at)) ? 1 : 2;
}

test('FIND-1, FIND-2: names that start with the term come first, then names with a word that does, then the rest, by name and with exact counts', () => {
  fc.assert(
    fc.property(
      fc.array(job, { maxLength: 9 }),
      fc.array(named, { minLength: 9, maxLength: 9 }),
      fc.array(named, { minLength: 9, maxLength: 9 }),
      fc.array(company, { maxLength: 3 }),
      fc.constantFrom('', 'sql', ' SQL ', 'prod', 'ß', 'i̇', 'o', 'σ', '-', 'zzz', '😀', 'l s'),
      fc.nat(5),
      (jobs, names, computers, companies, text, limit) => {
        const both = makeBoth();
        const find = makeFinder();
        const key = text.trim().toLowerCase();
        const check = (): void => {
          const found = find(both.engine, { text, limit });
          const all = [...both.plain.jobs.values()];
          const getName = (n: number): string => both.plain.companies.get(n)?.name ?? '';
          const hits = all.filter((one) => getSort(one.name, key) < 3);
          expect(found.jobs.count).toBe(hits.length);
          const order = found.jobs.rows.map(
            ({ name }) => [getSort(name, key), name.toLowerCase()] as const,
          );
          const wanted = hits
            .map(({ name }) => [getSort(name, key), name.toLowerCase()] as const)
            .sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0))
            .slice(0, limit);
          expect(order).toEqual(wanted);
          for (const one of found.jobs.rows) {
            const row = both.plain.jobs.get(one.job);
            expect(one).toEqual({
              job: one.job,
              name: row?.name,
              computer: row?.computer,
              company: row?.company,
              companyName: getName(row?.company ?? 0),
            });
          }
          const machines = new Map(
            all
              .filter(({ computer }) => computer !== '')
              .map((one) => [`${one.company} ${one.computer}`, one]),
          );
          const hit = [...machines.values()].filter(({ computer }) => getSort(computer, key) < 3);
          expect(found.computers.count).toBe(hit.length);
          expect(found.computers.rows).toHaveLength(Math.min(limit, hit.length));
          for (const one of found.computers.rows)
            expect(one.jobs).toBe(
              all.filter(
                ({ computer, company }) => computer === one.name && company === one.company,
              ).length,
            );
          const firms = [...both.plain.companies.values()].filter(
            ({ name }) => getSort(name, key) < 3,
          );
          expect(found.companies.count).toBe(firms.length);
          for (const one of found.companies.rows)
            expect(one.jobs).toBe(all.filter(({ company }) => company === one.company).length);
        };
        check();
        both.take({
          kind: 'put',
          company: companies,
          cause: [],
          problem: [],
          job: jobs.map((one, i) => ({
            ...one,
            name: names[i] ?? '',
            computer: computers[i] ?? '',
          })),
        });
        check();
        both.take({
          kind: 'put',
          company: [],
          cause: [],
          problem: [],
          job: jobs.slice(0, 1).map((one) => ({ ...one, name: 'renamed sql', computer: 'sql' })),
        });
        check();
        both.take({ kind: 'clear' });
        check();
      },
    ),
    { numRuns: numRuns(150) },
  );
});

test('FIND-1: nothing is found without a signed-in user', () => {
  const both = makeBoth();
  const find = makeFinder();
  both.take({
    kind: 'put',
    company: [{ n: 1, id: 'c', name: 'Acme', madeAt: 0 }],
    cause: [],
    problem: [],
    job: [],
  });
  expect(find(both.engine, { text: 'acm', limit: 3 }).companies).toEqual({
    count: 1,
    rows: [{ company: 1, name: 'Acme', jobs: 0 }],
  });
  expect(find(null, { text: 'acm', limit: 3 }).companies).toEqual({ count: 0, rows: [] });
});
