import { type Arbitrary, array, nat, tuple } from 'fast-check';
import type { NewEvent } from '#contract/events.ts';
import {
  byClock,
  companyDraft,
  jobChange,
  jobDraft,
  KEY,
  problemDraft,
  runDraft,
  runStart,
} from './drafts.ts';

/**
 * A log as it may come about, cut into batches: runs of three jobs and their problems, corrections,
 * reviews, samples, and contradictions.
 */
export const someBatches: Arbitrary<NewEvent[][]> = array(
  array(tuple(nat(9), nat(), nat(5)), { minLength: 1, maxLength: 12 }),
  { minLength: 1, maxLength: 6 },
).map((batches) => {
  const next: Next = { run: 1, problem: 1, results: new Map() };
  return [
    [companyDraft(1), jobDraft(1), jobDraft(2), jobDraft(3)],
    ...batches.map((batch) =>
      batch.flatMap(([kind, random, days]) => step(next, kind, random, days)),
    ),
  ].filter((batch) => batch.length > 0);
});

/** Numbers that are free, and the problem of each run that has finished. */
interface Next {
  run: number;
  problem: number;
  readonly results: Map<number, number | null>;
}

function step(next: Next, kind: number, random: number, days: number): NewEvent[] {
  const job = (random % 3) + 1;
  const startedAt = byClock.at + days * 86_400_000 + (random % 1000);
  const known = next.run > 1 ? (random % (next.run - 1)) + 1 : null;
  const problem = next.problem > 1 ? (random % (next.problem - 1)) + 1 : null;
  switch (kind) {
    case 0:
    case 1:
      return [finished(next, { n: next.run++, job, startedAt, message: null })];
    case 2: {
      const [run, n] = [next.run++, next.problem++];
      return [
        problemDraft(n, job, run, startedAt),
        finished(next, { n: run, job, startedAt, problem: n, message: `failed ${random}` }),
      ];
    }
    case 3:
      return [runStart({ n: next.run++, job, startedAt })];
    // also on another day, in another problem, or the first result of a run that began
    case 4:
      return known === null
        ? []
        : [
            finished(next, {
              n: known,
              job,
              startedAt,
              message: 'corrected',
              problem: random % 2 === 0 ? null : problem,
            }),
          ];
    case 5:
      return problem === null
        ? []
        : [
            {
              company: 1,
              entity: `problem:${problem}`,
              event: {
                type: 'problem.reviewed@1',
                data: { problems: [problem], comment: String(random) },
              },
            },
          ];
    case 6:
      return problem === null
        ? []
        : [
            {
              company: 1,
              entity: `problem:${problem}`,
              event: { type: 'problem.closed@1', data: { n: problem, job, by: 'success' } },
            },
          ];
    case 7:
      return [sample(`r${random % 2}`, startedAt, random)];
    case 8:
      return [jobChange(job, `Renamed ${random}`)];
    default:
      return problem === null
        ? []
        : // of a job that nobody has found
          [finished(next, { n: next.run++, job: 99, startedAt, problem })];
  }
}

function finished(next: Next, run: Parameters<typeof runDraft>[0]): NewEvent {
  const before = next.results.get(run.n);
  next.results.set(run.n, run.problem ?? null);
  return runDraft({ ...run, ...(before !== undefined && { corrects: { problem: before } }) });
}

const sample = (id: string, at: number, usedBytes: number): NewEvent => ({
  company: 1,
  entity: `repository:${id}`,
  event: {
    type: 'repository.sampled@1',
    data: {
      id,
      key: KEY,
      company: 1,
      uid: id,
      name: id,
      type: null,
      hostName: null,
      path: null,
      capacityBytes: null,
      freeBytes: null,
      usedBytes,
      at,
    },
  },
});
