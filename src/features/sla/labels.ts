import type { SlaOut } from '#contract/sla/calls.ts';
import { SOURCE_WORDS, TYPE_WORDS, ENTITY_GROUP_WORDS } from '../shared/runs/labels.ts';
import { formatList } from '#contract/i18n/list.ts';
import { plural } from '#src/ui/format.ts';

/** `97.3 %`, rounded down: what is just missed is not told as reached. */
export const shareText = (share: number | null): string =>
  share === null
    ? 'no results'
    : `${(Math.floor(share * 1000) / 10).toLocaleString('en-US', { minimumFractionDigits: 1 })} %`;

/** `Files nightly, Calloway Freight`, or `all jobs of 2 companies, by restic`. */
export function ofWhat(
  { job, jobName, companyName, group }: Pick<SlaOut, 'job' | 'jobName' | 'companyName' | 'group'>,
  nameOf: (company: number) => string,
): string {
  if (job !== null)
    return jobName === null
      ? 'a job that is not there any more'
      : `${jobName}, ${companyName ?? ''}`;
  const { companyIds = [], source = [], type = [], entityGroup = [] } = group ?? {};
  const said: string[] = [];
  if (source.length > 0)
    said.push(
      `by ${formatList(
        source.map((one) => SOURCE_WORDS[one]),
        'or',
      )}`,
    );
  if (type.length > 0)
    said.push(
      `of type ${formatList(
        type.map((one) => TYPE_WORDS[one]),
        'or',
      )}`,
    );
  if (entityGroup.length > 0)
    said.push(
      `in ${formatList(
        entityGroup.map((one) => ENTITY_GROUP_WORDS[one]),
        'or',
      )}`,
    );
  const whose =
    companyIds.length === 0
      ? 'every company'
      : companyIds.length <= 2
        ? companyIds.map(nameOf).join(' and ')
        : plural(companyIds.length, 'company', 'companies');
  return [`all jobs of ${whose}`, ...said].join(', ');
}

/** `a good backup every 26 hours, 95 % good in 7 days`. */
export function askedWords({
  maxAgeHours,
  minSuccessPct,
  windowDays,
}: Pick<SlaOut, 'maxAgeHours' | 'minSuccessPct' | 'windowDays'>): string {
  return [
    ...(maxAgeHours === null ? [] : [`a good backup every ${plural(maxAgeHours, 'hour')}`]),
    ...(minSuccessPct === null ? [] : [`${minSuccessPct} % good in ${plural(windowDays, 'day')}`]),
  ].join(', ');
}

/** `3 of 20 jobs are too old, 92.1 % good`. */
export function stateWords({
  kept,
  jobs,
  lateCount,
  share,
  minSuccessPct,
}: Pick<SlaOut, 'kept' | 'jobs' | 'lateCount' | 'share' | 'minSuccessPct'>): string {
  const old =
    lateCount === 0
      ? []
      : [jobs === 1 ? 'too old' : `${lateCount} of ${plural(jobs, 'job')} too old`];
  const good =
    minSuccessPct === null ? [] : [share === null ? 'no results yet' : `${shareText(share)} good`];
  if (jobs === 0) return 'no job matches';
  return [...old, ...good].join(', ') || (kept ? plural(jobs, 'job') : '');
}
