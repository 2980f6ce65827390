import { formatTenths } from '#src/ui/format.ts';
import { formatList } from '#contract/i18n/list.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { SlaOut } from '#contract/sla/calls.ts';
import { ENTITY_GROUP_WORDS, TYPE_WORDS } from '#src/features/shared/runs/labels.ts';
import { slaMessages as t } from './messages.en.ts';

/** `97.3 %`, rounded down so that a target just missed doesn't look reached. */
export const shareText = (share: number | null): string =>
  share === null
    ? t.noResults
    : t.sharePercentText({
        percent: formatTenths(Math.floor(share * 1000)),
      });

/** `Files nightly, Calloway Freight`, or `All jobs of 2 companies · Source: restic`. */
export function scopeText(
  { job, jobName, companyName, group }: Pick<SlaOut, 'job' | 'jobName' | 'companyName' | 'group'>,
  getName: (company: number) => string,
): string {
  if (job !== null)
    return jobName === null
      ? t.deletedJob
      : t.jobOfCompany({ job: jobName, company: companyName ?? '' });
  const { companyIds = [], source = [], type = [], entityGroup = [] } = group ?? {};
  return [
    companiesText(companyIds, getName),
    source.length > 0 && t.groupSource({ sources: joinAlternatives(source, SOURCE_NAMES) }),
    type.length > 0 && t.groupType({ types: joinAlternatives(type, TYPE_WORDS) }),
    entityGroup.length > 0 &&
      t.groupGroup({ groups: joinAlternatives(entityGroup, ENTITY_GROUP_WORDS) }),
  ]
    .filter((text) => text !== false)
    .join(' · ');
}

function companiesText(
  companyIds: readonly number[],
  getName: (company: number) => string,
): string {
  if (companyIds.length === 0) return t.groupAll;
  return companyIds.length <= 2
    ? t.groupCompanies({ companies: formatList(companyIds.map(getName), 'and') })
    : t.groupManyCompanies({ count: companyIds.length });
}

const joinAlternatives = <K extends string>(
  keys: readonly K[],
  names: Readonly<Record<K, string>>,
): string =>
  formatList(
    keys.map((key) => names[key]),
    'or',
  );

/** `Good backup every 26 hours · 95 % good in 7 days`. */
export const targetText = ({
  maxAgeHours,
  minSuccessPct,
  windowDays,
}: Pick<SlaOut, 'maxAgeHours' | 'minSuccessPct' | 'windowDays'>): string =>
  [
    maxAgeHours !== null && t.targetAge({ hours: maxAgeHours }),
    minSuccessPct !== null && t.targetShare({ percent: minSuccessPct, days: windowDays }),
  ]
    .filter((text) => text !== false)
    .join(' · ');

/** `3 of 20 jobs too old · 92.1 % good`. */
export function stateText({
  isMet,
  jobs,
  lateCount,
  share,
  minSuccessPct,
}: Pick<SlaOut, 'isMet' | 'jobs' | 'lateCount' | 'share' | 'minSuccessPct'>): string {
  if (jobs === 0) return t.stateNoJobs;
  const states = [
    lateCount > 0 && (jobs === 1 ? t.stateLate : t.stateLateJobs({ late: lateCount, jobs })),
    minSuccessPct !== null &&
      (share === null ? t.stateNoResults : t.stateShare({ share: shareText(share) })),
  ].filter((text) => text !== false);
  return states.join(' · ') || (isMet ? t.stateJobs({ count: jobs }) : '');
}
