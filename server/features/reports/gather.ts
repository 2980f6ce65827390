import type { JobN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunState } from '#contract/runs/query.ts';
import { toRequestedReview, getReview } from '#contract/runs/review.ts';
import { ENTITY_GROUPS, isBackupType, SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import type {
  CalendarReportLine,
  CellCounts,
  CompanyTally,
  ReportDay,
  Figures,
  FiguresName,
  Holding,
  JobLine,
  ResultLine,
  ReportResults,
} from '#contract/reports/figures.ts';
import { listJobsByName, companyNames, knownJobs } from '#server/platform/queries/known-jobs.ts';
import type { KnownJob, KnownJobs } from '#server/platform/queries/known-jobs.ts';
import { loadLastGood } from '#server/platform/queries/last-good.ts';
import { openProblems } from '#server/platform/queries/problems.ts';
import { getDays } from '#server/platform/queries/query.ts';
import type { Question } from '#server/platform/queries/query.ts';
import { loadRepositories } from '#server/platform/queries/repositories.ts';
import { countResults, findResults } from '#server/platform/queries/results.ts';
import { groupByCompany, loadSheet } from '#server/platform/queries/sheet.ts';
import type { SheetRow } from '#server/platform/queries/sheet.ts';
import { loadRunDetails } from '#server/platform/queries/run-details.ts';
import {
  heaps,
  isJudgedClass,
  judgedJobs,
  splitClass,
  getTally,
  loadTotals,
  wholeClass,
} from '#server/platform/queries/totals.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/**
 * The figures of each template, from the same queries as the read calls, so that they never differ.
 * Figures of other providers are read from each of them.
 */
export const GATHER: {
  readonly [N in Exclude<FiguresName, 'providers'>]: (
    tx: TenantTx,
    question: Question,
  ) => Promise<Figures[N]>;
} = {
  jobs: async (tx, question) => ({ days: dates(question), lines: await jobLines(tx, question) }),

  async companies(tx, question) {
    const groups = groupByCompany(listJobsByName(await knownJobs(tx, question)));
    const rows = await loadSheet(tx, question, getDays(question), groups, 'worst', isBackupType);
    return {
      days: dates(question),
      lines: rows.map((row) => {
        const { job, companyName } = first(row);
        return { company: job.company, companyName, jobs: row.jobs.length, ...getReportLine(row) };
      }),
    };
  },

  async company(tx, question) {
    const lines = await jobLines(tx, question);
    const totals = await loadTotals(tx, question, [question.from, question.to], null, ['bytes']);
    const tally = getTally(totals, judgedJobs(await knownJobs(tx, question), []));
    return {
      days: dates(question),
      lines,
      tally,
      troubles: await loadResults(
        tx,
        question,
        RUN_STATES.filter((state) => state !== 'Success' && state !== 'Running'),
      ),
    };
  },

  async days(tx, question) {
    const days = getDays(question);
    const totals = await loadTotals(
      tx,
      question,
      [...days.map(({ from }) => from), question.to],
      null,
      ['bytes'],
    );
    const known = await knownJobs(tx, question);
    const isJudged = judgedJobs(known, []);
    const byDay = heaps(totals, ({ stretch }) => stretch);
    const tallies = days.map(({ date }, place): ReportDay => ({
      day: date,
      tally: getTally(byDay.get(place) ?? [], isJudged),
    }));
    return { days: tallies, all: getTally(totals, isJudged), jobs: known.size };
  },

  results: (tx, question) => loadResults(tx, question, []),

  async holdings(tx, question) {
    const groups = groupByCompany(listJobsByName(await knownJobs(tx, question)));
    const places = new Map(
      groups.flatMap((group, place) => group.map(({ job }): [JobN, number] => [job.n, place])),
    );
    const bytes = heaps(
      await loadTotals(tx, question, [question.from, question.to], places, ['bytes']),
      (one) => one.class,
    );
    const repositories = Map.groupBy(
      await loadRepositories(tx, question),
      ({ company }) => company,
    );
    const names = await loadNames(tx, question);
    const lines = groups.map((group, place): Holding => {
      const { company, companyName } = {
        company: group[0]?.job.company ?? 0,
        companyName: group[0]?.companyName ?? '',
      };
      const held = repositories.get(company) ?? [];
      repositories.delete(company);
      return {
        company,
        companyName,
        jobs: group.length,
        disabled: group.filter(({ job }) => !job.enabled).length,
        computers: new Set(
          group.flatMap(({ job }) => (job.computer === '' ? [] : [job.computer.toLowerCase()])),
        ).size,
        groups: getGroups(group),
        transferred: getTally(bytes.get(place) ?? [], () => true).bytes,
        ...storedIn(held),
      };
    });
    // Companies with repositories but without jobs.
    const bare = [...repositories].flatMap(([company, held]): Holding[] => {
      const companyName = names.get(company);
      return companyName === undefined
        ? []
        : [
            {
              company,
              companyName,
              jobs: 0,
              disabled: 0,
              computers: 0,
              groups: getGroups([]),
              transferred: 0,
              ...storedIn(held),
            },
          ];
    });
    return [...lines, ...bare.toSorted((a, b) => a.companyName.localeCompare(b.companyName, 'en'))];
  },

  tallies: async (tx, question) => await loadTallies(tx, question, await knownJobs(tx, question)),

  async details(tx, question) {
    const known = await knownJobs(tx, question);
    const companies = await loadTallies(tx, question, known);
    const lastGood = await loadLastGood(tx, question);
    const byJob = heaps(
      await loadTotals(tx, question, [question.from, question.to], null, ['bytes']),
      (one) => one.class,
    );
    const byCompany = Map.groupBy(listJobsByName(known), ({ job }) => job.company);
    return companies.map((company) => ({
      company,
      jobs: (byCompany.get(company.company) ?? []).map(({ job, companyName }) => ({
        company: job.company,
        companyName,
        jobName: job.name,
        computerName: job.computer,
        source: SOURCE_NAMES[job.source],
        tally: getTally(byJob.get(job.n) ?? [], () => true),
        lastGoodAt: lastGood.get(job.n) ?? null,
      })),
    }));
  },
};

const dates = (question: Question): readonly string[] => getDays(question).map(({ date }) => date);

function first({ jobs: [known] }: SheetRow): KnownJob {
  if (!known) throw new RangeError('a report: a row without a job');
  return known;
}

/** Returns a row of the spreadsheet without its jobs. */
export const getReportLine = ({
  cells,
  counts,
  share,
  judged,
  good,
}: Pick<SheetRow, 'cells' | 'counts' | 'share' | 'judged' | 'good'>): CalendarReportLine => ({
  cells: cells.map(({ state, bad }) => ({ state, bad })),
  share,
  judged,
  good,
  counts: Object.fromEntries(
    RUN_STATES.map((state) => [state, counts.get(state) ?? 0]),
  ) as CellCounts,
});

async function jobLines(tx: TenantTx, question: Question): Promise<readonly JobLine[]> {
  const rows = await loadSheet(
    tx,
    question,
    getDays(question),
    listJobsByName(await knownJobs(tx, question)).map((one) => [one]),
    'worst',
  );
  return rows.map((row) => {
    const { job, companyName } = first(row);
    return {
      company: job.company,
      companyName,
      jobName: job.name,
      computerName: job.computer,
      source: SOURCE_NAMES[job.source],
      type: job.type,
      ...getReportLine(row),
    };
  });
}

/** The number of results read at once. */
const BATCH_SIZE = 1_000;

async function loadResults(
  tx: TenantTx,
  question: Question,
  status: readonly RunState[],
): Promise<ReportResults> {
  const known = await knownJobs(tx, question);
  const wanted = { filters: { status: [...status] } };
  const count = await countResults(tx, question, known, wanted);
  const ns = await findResults(tx, question, known, wanted, { first: 0, max: LIMITS.reportRows });
  const lines: ResultLine[] = [];
  for (let at = 0; at < ns.length; at += BATCH_SIZE) {
    for (const {
      run,
      known: { job, companyName },
      problem,
    } of await loadRunDetails(tx, ns.slice(at, at + BATCH_SIZE), known)) {
      lines.push({
        companyName,
        jobName: job.name,
        computerName: job.computer,
        source: SOURCE_NAMES[job.source],
        state: run.status === 'Success' && run.anomaly.length > 0 ? 'Anomaly' : run.status,
        startedAt: run.startedAt,
        seconds: run.durationSec,
        bytes: run.bytes,
        message: run.message,
        review: toRequestedReview(problem, question.now, true),
        ticket: problem?.ticket ?? null,
      });
    }
  }
  return { lines, count };
}

async function loadTallies(
  tx: TenantTx,
  question: Question,
  known: KnownJobs,
): Promise<readonly CompanyTally[]> {
  const { from, to, now } = question;
  const groups = Map.groupBy(listJobsByName(known), ({ job }) => job.company);
  const classes = new Map(
    [...known].map(([n, { job }]) => [n, splitClass(job.company, isBackupType(job.type))]),
  );
  const totals = heaps(
    await loadTotals(tx, question, [from - (to - from), from, to], classes, ['bytes']),
    (one) => wholeClass(one.class),
  );
  const open = Map.groupBy(
    (await openProblems(tx, question)).filter((one) => getReview(one, now) === 'pending'),
    ({ company }) => company,
  );
  const names = await loadNames(tx, question);
  return [...names].map(([company, companyName]): CompanyTally => {
    const all = totals.get(company) ?? [];
    const of = (stretch: number) =>
      getTally(
        all.filter((one) => one.stretch === stretch),
        isJudgedClass,
      );
    return {
      company,
      companyName,
      jobs: groups.get(company)?.length ?? 0,
      now: of(1),
      before: of(0),
      open: open.get(company)?.length ?? 0,
    };
  });
}

/** Returns the names of the requested companies, including those without a job. */
async function loadNames(tx: TenantTx, question: Question): Promise<ReadonlyMap<number, string>> {
  const all = await companyNames(tx);
  const { companies, without } = question;
  return new Map(
    [...all]
      .filter(([n]) => !without.includes(n) && (companies === null || companies.includes(n)))
      .toSorted(([, a], [, b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  );
}

const getGroups = (group: readonly KnownJob[]): { readonly [G in EntityGroup]: number } =>
  Object.fromEntries(
    ENTITY_GROUPS.map((one) => [one, group.filter(({ job }) => job.group === one).length]),
  ) as { readonly [G in EntityGroup]: number };

function storedIn(
  held: readonly { readonly usedBytes: number | null; readonly capacityBytes: number | null }[],
): Pick<Holding, 'repositories' | 'used' | 'capacity'> {
  return {
    repositories: held.length,
    used: sumKnown(held.map(({ usedBytes }) => usedBytes)),
    capacity: sumKnown(held.map(({ capacityBytes }) => capacityBytes)),
  };
}
function sumKnown(all: readonly (number | null)[]): number | null {
  const said = all.flatMap((one) => one ?? []);
  return said.length === 0 ? null : said.reduce((a, b) => a + b, 0);
}
