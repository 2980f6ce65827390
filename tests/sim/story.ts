import type { Event } from '#contract/events.ts';
import type { makeChance } from './random.ts';
import type { memoryRows } from '#contract/fold.ts';

const KEY = '00000000-0000-4000-8000-0000000000aa';
interface Provider {
  readonly rows: ReturnType<typeof memoryRows>;
  append(drafts: readonly Draft[]): void;
}
type Draft = { readonly event: Event; readonly company: number | null };

/**
 * What happens at a provider: companies, jobs, runs that go well and badly. Drafts as ingest makes
 * them.
 */
export class Story {
  readonly #server: Provider;
  readonly #chance: ReturnType<typeof makeChance>;
  readonly #now: () => number;
  /** In the names and messages of this provider. */
  readonly #label: string;
  #run = 0;
  #problem = 0;
  #running: number[] = [];

  constructor(
    server: Provider,
    chance: ReturnType<typeof makeChance>,
    now: () => number,
    label = '',
  ) {
    this.#label = label;
    this.#server = server;
    this.#chance = chance;
    this.#now = now;
  }

  begin(companies: number, jobs: number, runs: number): void {
    const drafts: Draft[] = [];
    for (let n = 1; n <= companies; n++)
      drafts.push({
        company: n,
        event: {
          type: 'company.created@1',
          data: {
            n,
            id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
            name: `Company ${this.#label}${n}`,
          },
        },
      });
    drafts.push({
      company: null,
      event: {
        type: 'cause.found@1',
        data: { n: 1, template: 'cannot reach ‹host›', kind: 'connection' },
      },
    });
    drafts.push({
      company: null,
      event: { type: 'cause.found@1', data: { n: 2, template: 'no space left', kind: 'space' } },
    });
    for (let n = 1; n <= jobs; n++)
      drafts.push({
        company: 1 + (n % companies),
        event: {
          type: 'job.found@1',
          data: { ...this.#job(n), uid: `job-${n}`, key: KEY, company: 1 + (n % companies) },
        },
      });
    this.#server.append(drafts);
    for (let i = 0; i < runs; i++)
      this.finish(this.#now() - 3_600_000 - this.#chance.below(4 * 86_400_000));
  }

  /** One thing more. */
  goOn(): void {
    const roll = this.#chance.below(10);
    if (roll < 2) this.start();
    else if (roll < 4 && this.#running.length > 0) this.end();
    else if (roll === 4) this.changeJob();
    else if (roll === 5) this.correct();
    else this.finish(this.#now() - 1_000);
  }

  start(): void {
    const job = this.#anyJob();
    const n = ++this.#run;
    this.#running.push(n);
    this.#server.append([
      {
        company: job.company,
        event: { type: 'run.started@1', data: { ...this.#named(n, job), startedAt: this.#now() } },
      },
    ]);
  }

  end(): void {
    const n = this.#running.shift();
    const run = n === undefined ? undefined : this.#server.rows.run.get(n);
    if (run) this.#finished(run.n, run.job, run.startedAt);
  }

  finish(startedAt: number): void {
    this.#finished(++this.#run, this.#anyJob().n, startedAt);
  }

  /** A result is told again, as well or as badly as it comes. */
  correct(): void {
    const ended = [...this.#server.rows.run.values()].filter(({ status }) => status !== 'Running');
    if (ended.length === 0) return;
    const { n, job, startedAt } = this.#chance.pick(ended);
    this.#finished(n, job, startedAt);
  }

  changeJob(): void {
    const job = this.#anyJob();
    const { name, source, type, group, computer, server, enabled, schedule, graceSec } = job;
    const managed = this.#chance.pick([null, true, false]);
    this.#server.append([
      {
        company: job.company,
        event: {
          type: 'job.updated@1',
          data: {
            n: job.n,
            name,
            source,
            type,
            group,
            computer,
            server,
            managed,
            enabled,
            schedule,
            graceSec,
          },
        },
      },
    ]);
  }

  #finished(n: number, jobN: number, startedAt: number): void {
    const job = this.#server.rows.job.get(jobN);
    if (!job) return;
    const drafts: Draft[] = [];
    const failed = this.#chance.below(2) === 0;
    let { problem } = job;
    if (failed && problem === null) {
      problem = ++this.#problem;
      drafts.push({
        company: job.company,
        event: {
          type: 'problem.opened@1',
          data: {
            n: problem,
            job: job.n,
            company: job.company,
            cause: 1 + this.#chance.below(2),
            state: 'Failed',
            run: n,
            startedAt,
          },
        },
      });
    } else if (!failed && problem !== null) {
      drafts.push({
        company: job.company,
        event: { type: 'problem.closed@1', data: { n: problem, job: job.n, by: 'success' } },
      });
      problem = null;
    }
    const before = this.#server.rows.run.get(n);
    const measured = {
      endedAt: startedAt + 60_000,
      durationSec: 60,
      bytes: 1000 * n,
      bytesProcessed: null,
      files: 10,
      filesFailed: null,
      exitCode: failed ? 1 : 0,
      anomaly: [],
      hasLog: false,
      detail: {},
    };
    drafts.push({
      company: job.company,
      event: {
        type: 'run.finished@1',
        data: {
          ...this.#named(n, job),
          startedAt,
          status: failed ? 'Failed' : 'Success',
          message: failed ? `cannot reach host-${this.#label}${n}` : null,
          problem,
          ...measured,
          ...(before && before.status !== 'Running' && { corrects: { problem: before.problem } }),
        },
      },
    });
    this.#server.append(drafts);
  }

  #named(
    n: number,
    job: { readonly n: number; readonly company: number },
  ): { n: number; job: number; company: number; key: string; uid: string } {
    return { n, job: job.n, company: job.company, key: KEY, uid: `run-${n}` };
  }

  #anyJob() {
    return this.#chance.pick([...this.#server.rows.job.values()]);
  }

  #job(n: number) {
    return {
      n,
      name: `Job ${this.#label}${n}`,
      source: 'restic' as const,
      type: 'Backup' as const,
      group: 'managed-servers' as const,
      computer: `pc-${this.#label}${n}`,
      server: '',
      managed: true,
      enabled: true,
      schedule: null,
      graceSec: null,
    };
  }
}
