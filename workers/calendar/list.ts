import type { CalendarQuery } from '#contract/calendar/calendar.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import { FIELD } from '#workers/columns/text.ts';
import type { ColumnStore } from '#workers/types.ts';

/** A company and its requested jobs, by name. */
export interface CompanySection {
  readonly company: CompanyN;
  readonly name: string;
  readonly jobs: readonly ListedDay[];
}
/** `key`: its name and its computer's name in lower case, separated by `FIELD`. */
export interface ListedDay {
  readonly key: string;
  readonly job: JobRow;
}
interface Sorted {
  readonly engine: ColumnStore;
  readonly named: number;
  readonly sections: readonly CompanySection[];
}

/**
 * Lists a calendar's jobs: companies by name, below each its jobs by name. Sorts again only when a
 * name has changed.
 */
export function makeJobList(): (
  engine: ColumnStore,
  ask: CalendarQuery,
) => readonly CompanySection[] {
  let sorted: Sorted | null = null;
  let narrowed: {
    readonly from: Sorted;
    readonly key: string;
    readonly sections: readonly CompanySection[];
  } | null = null;
  return (engine, ask) => {
    if (sorted?.engine !== engine || sorted.named !== engine.named)
      sorted = { engine, named: engine.named, sections: getSections(engine) };
    const { companies, sources, types, instructionTypes, text } = ask;
    const key = JSON.stringify([companies, sources, types, instructionTypes, text]);
    if (narrowed?.from !== sorted || narrowed.key !== key)
      narrowed = { from: sorted, key, sections: narrow(sorted.sections, ask) };
    return narrowed.sections;
  };
}

function getSections(engine: ColumnStore): readonly CompanySection[] {
  const names = new Map(engine.all('company').map(({ n, name }) => [n, name]));
  const ofCompany = new Map<CompanyN, ListedDay[]>();
  for (const job of engine.all('job')) {
    const jobs = ofCompany.get(job.company);
    const one = { key: (job.name + FIELD + job.computer).toLowerCase(), job };
    if (jobs) jobs.push(one);
    else ofCompany.set(job.company, [one]);
  }
  return [...ofCompany]
    .map(([company, jobs]) => ({
      company,
      name: names.get(company) ?? '',
      jobs: jobs.sort((a, b) => order(a.key, b.key) || a.job.n - b.job.n),
    }))
    .sort((a, b) => order(a.name.toLowerCase(), b.name.toLowerCase()) || a.company - b.company);
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Leaves out sections without jobs. */
export const keepJobs = (
  sections: readonly CompanySection[],
  wanted: (job: ListedDay, section: CompanySection) => boolean,
): readonly CompanySection[] =>
  sections.flatMap((section) => {
    const jobs = section.jobs.filter((job) => wanted(job, section));
    return jobs.length === 0
      ? []
      : [jobs.length === section.jobs.length ? section : { ...section, jobs }];
  });

/** An empty list means all. */
const among = <T>(all: readonly T[], one: T): boolean => all.length === 0 || all.includes(one);

/**
 * Keeps jobs where the name of the job, its computer or its company contains the text, ignoring
 * case.
 */
function narrow(
  sections: readonly CompanySection[],
  { companies, sources, types, instructionTypes, text }: CalendarQuery,
): readonly CompanySection[] {
  const key = text.trim().toLowerCase();
  const chosen =
    companies.length === 0
      ? sections
      : sections.filter(({ company }) => companies.includes(company));
  if (sources.length + types.length + instructionTypes.length === 0 && key === '') return chosen;
  if (key.includes(FIELD)) return [];
  const named = new Set(
    key === '' ? chosen : chosen.filter(({ name }) => name.toLowerCase().includes(key)),
  );
  return keepJobs(
    chosen,
    ({ key: names, job }, section) =>
      among(sources, job.source) &&
      among(types, job.type) &&
      among(instructionTypes, job.group) &&
      (named.has(section) || names.includes(key)),
  );
}
