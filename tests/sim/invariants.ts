import { ALL } from './all-runs.ts';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Logged } from '#contract/events.ts';
import { fold, memoryRows } from '#contract/fold.ts';
import { toLeanRun } from '#contract/runs/columns.ts';
import type { createWorkerApi } from '#workers/queries/live-queries.ts';
import type { Replica } from '#workers/sync/replica.ts';
import type { SimServer, User } from './server.ts';

/**
 * The slow, obvious way to the same rows: the log folded from its first event. Goes on from where
 * it was.
 */
export class Shadow {
  readonly rows = memoryRows();
  #at = 0;
  readonly #log: readonly Logged[];

  constructor(log: readonly Logged[]) {
    this.#log = log;
  }

  get at(): number {
    return this.#at;
  }

  upTo(seq: number): this {
    for (; this.#at < seq; this.#at++) fold(this.rows, this.#log[this.#at] as Logged);
    return this;
  }
}

/** As `toEqual`, many times as fast where they are equal. */
function expectEqual(found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected))
    expect({ what, found }).toEqual({ what, found: expected });
}

const byId = <T>(rows: Iterable<T>, id: (row: T) => number): T[] =>
  [...rows].sort((a, b) => id(a) - id(b));

/**
 * SYNC-1: what stands in memory is the log up to the cursor, no more (but for phantoms in pages of
 * days) and never less. SYNC-6: of a company that was deleted nothing more is given, and from its
 * end on nothing is left; in between there may be what came before.
 */
export function expectNoHole(
  replica: Replica,
  shadow: Shadow,
  server: SimServer,
  user: User,
): void {
  if (replica.epoch === '') return;
  const { rows } = shadow.upTo(replica.cursor);
  const sees = (company: number): boolean =>
    !server.isDeleted(company) && (user.companies === null || user.companies.includes(company));
  const { engine } = replica;
  const ended = new Set(
    [...rows.company.values()].flatMap(({ n, deletedAt }) => (deletedAt === undefined ? [] : [n])),
  );
  expect(
    [
      ...engine.all('company').map(({ n }) => n),
      ...engine.all('job').map(({ company }) => company),
      ...engine.all('problem').map(({ company }) => company),
    ].filter((n) => ended.has(n)),
  ).toEqual([]);
  expect(
    engine.runs(
      [...server.rows.run.values()].flatMap(({ n, company }) => (ended.has(company) ? [n] : [])),
    ).size,
  ).toBe(0);
  for (const table of ['problem', 'job'] as const) {
    const isSeen = ({ company }: { readonly company: number }): boolean => sees(company);
    expectEqual(
      byId<{ readonly n: number; readonly company: number }>(
        engine.all(table),
        ({ n }) => n,
      ).filter(isSeen),
      byId<{ readonly n: number; readonly company: number }>(
        rows[table].values(),
        ({ n }) => n,
      ).filter(isSeen),
      table,
    );
  }
  if (replica.daysLeft > 0) return;
  const later = new Set(
    server.log
      .slice(replica.cursor)
      .flatMap(({ event }) =>
        event.type.startsWith('run.') && 'n' in event.data ? [event.data.n] : [],
      ),
  );
  const rekinded = new Set(
    server.log
      .slice(replica.cursor)
      .flatMap(({ event }) => (event.type === 'job.updated@1' ? [event.data.n] : [])),
  );
  const expected = [...rows.run.values()].filter(
    (run) => sees(run.company) && !later.has(run.n) && !rekinded.has(run.job),
  );
  const here = engine.runs(expected.map(({ n }) => n));
  for (const run of expected) {
    const job = rows.job.get(run.job);
    if (job) expectEqual(here.get(run.n), toLeanRun(run, job), `run ${run.n}`);
  }
}

/** OUT-3: a command stands in the log once, whole, however often it was sent. */
export function expectOnce(server: SimServer): void {
  const seqs = new Map<string, number[]>();
  for (const { commandId, seq } of server.log)
    if (commandId !== null) seqs.set(commandId, [...(seqs.get(commandId) ?? []), seq]);
  for (const [id, all] of seqs)
    expectEqual((all.at(-1) ?? 0) - (all[0] ?? 0) + 1, all.length, `command ${id}`);
  const notes = server.log.flatMap(({ event, company }) =>
    event.type === 'problem.noted@1' ? [`${company}/${event.data.content}`] : [],
  );
  expect(new Set(notes).size).toBe(notes.length); // every note of the simulator has its own words
}

/**
 * OUT-4: from the moment it was kept until its event is here, the last note on a problem is what
 * its rows show. Told from the log and from what was sent alone, whatever the outbox believes.
 */
export function expectEffects(
  api: ReturnType<typeof createWorkerApi>,
  server: SimServer,
  notes: ReadonlyMap<string, { readonly run: number; readonly content: string }>,
): void {
  const { loop } = api.session;
  if (!loop) return;
  const { engine, cursor } = loop.replica;
  const arrived = new Set(server.log.slice(0, cursor).map(({ commandId }) => commandId));
  const refused = new Set(
    loop.outbox
      .view()
      .entries.filter(({ state }) => state === 'refused')
      .map(({ id }) => id),
  );
  const last = new Map<number, string>();
  for (const [id, { run, content }] of notes) {
    const problem = engine.runs([run]).get(run)?.problem;
    if (!arrived.has(id) && !refused.has(id) && problem && engine.row('problem', problem)) {
      last.delete(run);
      last.set(run, content);
    }
  }
  const byProblem = new Map(
    [...last].map(([run, content]) => [
      engine.runs([run]).get(run)?.problem ?? 0,
      { run, content },
    ]),
  );
  for (const { run, content } of byProblem.values()) {
    const job = engine.runs([run]).get(run)?.job ?? 0;
    const selection = engine.select({ ...ALL, jobs: [job] }, 0);
    const row = engine
      .view(selection, { first: 0, count: selection.total }, 0)
      .find(({ n }) => n === run);
    expect(row?.problem?.note?.content, `note on run ${run}`).toBe(content);
  }
}
