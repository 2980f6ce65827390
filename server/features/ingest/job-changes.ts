import { withoutBidi } from '#contract/bidi.ts';
import type { EventOf } from '#contract/events.ts';
import type { JobN } from '#contract/ids.ts';
import type { JobRow, KeyRow } from '#contract/runs/rows.ts';
import type { JobSays } from './normalize.ts';

/** Returns the data of a job that is reported for the first time. */
export const newJob = (n: JobN, key: KeyRow, says: JobSays): EventOf<'job.found@1'>['data'] => ({
  n,
  uid: says.uid,
  key: key.id,
  company: key.company,
  name: getName(says),
  source: says.source ?? 'api',
  type: says.type ?? 'Backup',
  group: says.group ?? 'other',
  computer: withoutBidi(says.computer ?? ''),
  server: withoutBidi(says.server ?? ''),
  managed: says.managed === undefined ? key.managed : says.managed,
  enabled: says.enabled ?? true,
  schedule: says.schedule ?? null,
  graceSec: says.graceSec ?? null,
});

/** Returns the job with the changes that its source reports; null if there are none. */
export function jobChange(job: JobRow, says: JobSays): EventOf<'job.updated@1'>['data'] | null {
  const next = {
    n: job.n,
    name: getName(says),
    source: says.source ?? job.source,
    type: says.type ?? job.type,
    group: says.group ?? job.group,
    computer: withoutBidi(says.computer ?? job.computer),
    server: withoutBidi(says.server ?? job.server),
    managed: says.managed === undefined ? job.managed : says.managed,
    enabled: says.enabled ?? job.enabled,
    schedule: says.schedule === undefined ? job.schedule : says.schedule,
    graceSec: says.graceSec === undefined ? job.graceSec : says.graceSec,
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
const getName = ({ name, uid }: JobSays): string =>
  withoutBidi(name) || withoutBidi(uid).slice(0, 200) || '?';

function sameSchedule(a: JobRow['schedule'], b: JobRow['schedule']): boolean {
  if (a === null || b === null) return a === b;
  if (a.type !== b.type) return false;
  if (a.type === 'kind') return b.type === 'kind';
  if (a.type === 'every') return b.type === 'every' && a.everySec === b.everySec;
  return b.type === 'cron' && a.cron === b.cron && a.tz === b.tz;
}
