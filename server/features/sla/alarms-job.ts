import { formatTag, withLanguage } from '#contract/i18n/messages.ts';
import { formatMoment } from '#contract/i18n/moment.ts';
import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import type { SlaRow, SlaVerdict } from '#contract/sla/sla.ts';
import type { UserRow } from '#contract/users/rows.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import type { KnownJob } from '#server/platform/queries/known-jobs.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { judgeAll } from './judge.ts';
import type { Judged } from './judge.ts';
import { loadAlarms } from './alarm-state.ts';
import { slaMailMessages as t } from './messages.en.ts';

const EVERY: Ms = 5 * 60_000;

/**
 * SLA-3, every five minutes while there are alarms: notifies an alarm's recipients once when it
 * breaks, and again when it recovers.
 */
export const slaAlarms =
  (context: AppContext): JobHandler<'sla-alarms'> =>
  async ({ tenant, now }) =>
    (await judgeTenant(context, tenant, now)) ? now + EVERY : null;

/**
 * Evaluates without the lock and notifies under it, so only one of two servers on a database
 * notifies. Returns whether there are alarms.
 */
async function judgeTenant(context: AppContext, tenant: TenantId, now: Ms): Promise<boolean> {
  const judged = await context.store.tenant(
    tenant,
    async (tx) => {
      const stored = (await loadAlarms(tx)).filter(({ alarm }) => alarm.enabled);
      const alarms = stored.map(({ alarm }) => alarm);
      if (alarms.length === 0) return 'no-alarms';
      const all = await judgeAll(tx, alarms, now);
      return stored.some(({ alarm, brokenSince }) =>
        isNews(all.verdicts.get(alarm.id), brokenSince),
      )
        ? { ...all, alarms }
        : 'no-news';
    },
    { readOnly: true },
  );
  if (judged === 'no-alarms') return false;
  if (judged === 'no-news') return true;
  await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    for (const { alarm, brokenSince } of await loadAlarms(tx)) {
      const verdict = judged.verdicts.get(alarm.id);
      const before = judged.alarms.find(({ id }) => id === alarm.id);
      if (
        !verdict ||
        before?.changedAt !== alarm.changedAt ||
        !alarm.enabled ||
        !isNews(verdict, brokenSince)
      )
        continue;
      await tx.sql
        .updateTable('sla_alarm')
        .set({ broken_since: verdict.isMet ? null : now, fired_at: now })
        .where('tenant_id', '=', tenant)
        .where('id', '=', alarm.id)
        .execute();
      await notifyAlarm(context, tx, alarm, verdict, judged, now);
    }
  });
  return true;
}

const isNews = (verdict: SlaVerdict | undefined, brokenSince: Ms | null): boolean =>
  verdict !== undefined && verdict.isMet !== (brokenSince === null);

const MAX_LINES = 30;

async function notifyAlarm(
  context: AppContext,
  tx: TenantTx,
  alarm: SlaRow,
  verdict: SlaVerdict,
  { jobs, lastSuccess }: Judged,
  now: Ms,
): Promise<void> {
  const write = (): { readonly subject: string; readonly text: string } => {
    const lines = verdict.late.slice(0, MAX_LINES).flatMap((n) => {
      const known = jobs.get(n);
      return known ? [lateJob(known, lastSuccess.get(n))] : [];
    });
    const more = verdict.late.length - lines.length;
    const name = { alarm: alarm.name };
    return {
      subject: (verdict.isMet ? t.recoveredSubject : t.missedSubject)(name)
        .replaceAll(/\s+/g, ' ')
        .slice(0, 150),
      text: `${[
        (verdict.isMet ? t.recovered : t.missed)(name),
        ...(verdict.share === null ? [] : [shareWords(alarm, verdict.share)]),
        ...(lines.length === 0
          ? []
          : [
              t.late({ hours: alarm.maxAgeHours ?? 0 }),
              [...lines, ...(more > 0 ? [t.more({ count: more })] : [])].join('\n'),
            ]),
        t.asOf({ when: formatMoment(now) }),
      ].join('\n\n')}\n`,
    };
  };
  for (const { id, email } of await loadRecipients(tx, alarm))
    await post(tx, context, {
      kind: 'mail',
      to: email,
      ...withLanguage(await loadUserLanguage(tx, id), write),
    });
}

function lateJob({ companyName, job }: KnownJob, lastGoodAt: Ms | undefined): string {
  const named = { company: companyName, job: job.name };
  const words = {
    job: job.computer === '' ? t.job(named) : t.jobOnComputer({ ...named, computer: job.computer }),
  };
  return lastGoodAt === undefined
    ? t.noBackup(words)
    : t.lastBackup({ ...words, when: formatMoment(lastGoodAt) });
}

const percent = (part: number, digits: number): string =>
  new Intl.NumberFormat(formatTag(), {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(1, digits),
  }).format(part);

/** Rounded down, so that it never shows 100 % for less. */
function shareWords({ windowDays: days, minSuccessPct }: SlaRow, share: number): string {
  const values = { share: percent(Math.floor(share * 1000) / 1000, 1), days };
  return minSuccessPct === null
    ? t.share(values)
    : t.shareWithTarget({ ...values, target: percent(minSuccessPct / 100, 0) });
}

/** Returns the recipients who have an address and still see all of the alarm's jobs. */
async function loadRecipients(
  tx: TenantTx,
  { recipients, companies }: SlaRow,
): Promise<readonly { readonly id: UserId; readonly email: string }[]> {
  if (recipients.length === 0) return [];
  const users = await tx.rows('user', recipients);
  const people = await tx.sql
    .selectFrom('person')
    .select(['id', 'email'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', [...recipients])
    .where('email_verified', '=', true)
    .execute();
  return people.flatMap(({ id, email }) =>
    email && maySee(users, id, companies) ? [{ id, email }] : [],
  );
}

const maySee = (
  users: ReadonlyMap<number | string, UserRow>,
  id: UserId,
  companies: readonly number[] | null,
): boolean => {
  const user = users.get(id);
  return (
    user !== undefined &&
    user.deletedAt === null &&
    (user.companies === null ||
      (companies !== null && companies.every((n) => user.companies?.includes(n))))
  );
};
