import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobCounter } from '#contract/runs/hosts.ts';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
const job = (computer: string, server = '', company = 1) => ({ company, computer, server });

const address = (text: string): boolean => /^[\d.]+$/.test(text) || text.includes(':');
/** What the index must come to: one name against another. */
const alike = (host: string, other: string): boolean => {
  const [a, b] = [host.toLowerCase(), other.toLowerCase()];
  if (b === '' || a === '') return false;
  return (
    a === b ||
    (!address(a) &&
      !address(b) &&
      a.includes('.') !== b.includes('.') &&
      a.split('.')[0] === b.split('.')[0])
  );
};

test("DESK-6: a host's jobs are those of its company that name it as computer or server, in any case, short or in full", () => {
  const count = jobCounter([
    job('DB1'),
    job('db1.example.net'),
    job('', 'db1'),
    job('db1', 'DB1.example.net'),
    job('db1.other.org'),
    job('db10'),
    job('db1', '', 2),
    job(''),
    job(' db1 '),
  ]);
  expect(count(1, 'db1')).toBe(6);
  expect(count(1, 'Db1.Example.Net')).toBe(5);
  expect(count(2, 'db1.example.net')).toBe(1);
  expect([count(1, 'db'), count(1, 'db1.'), count(3, 'db1'), count(1, '')]).toEqual([0, 4, 0, 0]);
});

test('DESK-6: an address is no short name of another', () => {
  const count = jobCounter([job('10.0.0.1'), job('10'), job('fe80::1.2'), job('.hidden')]);
  expect([
    count(1, '10.0.0.1'),
    count(1, '10.0.0.2'),
    count(1, '10'),
    count(1, 'fe80::1'),
    count(1, '.hidden'),
  ]).toEqual([1, 0, 1, 0, 1]);
});

test('DESK-6: the index counts as comparing each job with each host does', () => {
  const name = fc.constantFrom(
    '',
    'a',
    'A',
    'b',
    'a.x',
    'a.y',
    'A.X',
    'b.x',
    'a.x.y',
    '1.2.3.4',
    '1',
    '::1',
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ company: fc.constantFrom(1, 2), computer: name, server: name }), {
        maxLength: 20,
      }),
      fc.constantFrom(1, 2),
      name,
      (jobs, company, host) => {
        const expected = jobs.filter(
          (one) =>
            one.company === company && (alike(host, one.computer) || alike(host, one.server)),
        ).length;
        expect(jobCounter(jobs)(company, host)).toBe(expected);
      },
    ),
    runs(2_000),
  );
});
