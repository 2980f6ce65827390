import { withoutBidi } from '#contract/bidi.ts';
import type { EventOf } from '#contract/events.ts';
import type { JobN } from '#contract/ids.ts';
import type { JobRow, IngestKeyRow } from '#contract/runs/rows.ts';
import type { ReportedJob } from './normalize.ts';

/** Returns the data of a job that is reported for the first time. */
export const newJob = (
  n: JobN,
  key: IngestKeyRow,
  reported: ReportedJob,
): EventOf<'job.found@1'>['data'] => ({
  n,
  uid: reported.uid,
  key: key.id,
  company: key.company,
  name: getName(reported),
  source: reported.source ?? 'api',
  type: reported.type ?? 'Backup',
  group: reported.group ?? 'other',
  computer: withoutBidi(reported.computer ?? ''),
  server: withoutBidi(reported.server ?? ''),
  managed: reported.managed === undefined ? key.managed : reported.managed,
  enabled: reported.enabled ?? true,
  schedule: reported.schedule ?? null,
  graceSec: reported.graceSec ?? null,
});

/** Returns the job with the changes that its source reports; null if there are none. */
export function jobChange(
  job: JobRow,
  reported: ReportedJob,
): EventOf<'job.updated@1'>['data'] | null {
  const next = {
    n: job.n,
    name: getName(reported),
    source: reported.source ?? job.source,
    type: reported.type ?? job.type,
    group: reported.group ?? job.group,
    computer: withoutBidi(reported.computer ?? job.computer),
    server: withoutBidi(reported.server ?? job.server),
    managed: reported.managed === undefined ? job.managed : reported.managed,
    enabled: reported.enabled ?? job.enabled,
    schedule: reported.schedule === undefined ? job.schedule : reported.schedule,
    graceSec: reported.graceSec === undefined ? job.graceSec : reported.graceSec,
  };
  return FIELDS.every((name) => job[name] === next[name]) &&
    sameSchedule(job.schedule, next.schedule)
    ? null
    : next;
}

/** Every field of a change that is compared by value. */
const FIELDS = Object.keys({
  name: true,
  source: true,
  type: true,
  group: true,
  computer: true,
  server: true,
  managed: true,
  enabled: true,
  graceSec: true,
} satisfies Record<Compared, true>) as Compared[];
type Compared = Exclude<keyof EventOf<'job.updated@1'>['data'], 'n' | 'schedule'>;

/** A job is identified by its uid, which replaces an empty name. */
const getName = ({ name, uid }: ReportedJob): string =>
  withoutBidi(name) || withoutBidi(uid).slice(0, 200) || '?';

function sameSchedule(a: JobRow['schedule'], b: JobRow['schedule']): boolean {
  if (a === null || b === null) return a === b;
  if (a.type !== b.type) return false;
  if (a.type === 'kind') return b.type === 'kind';
  if (a.type === 'every') return b.type === 'every' && a.everySec === b.everySec;
  return b.type === 'cron' && a.cron === b.cron && a.tz === b.tz;
}
