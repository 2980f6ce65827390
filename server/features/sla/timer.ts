import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import type { SlaRow, SlaVerdict } from '#contract/sla/sla.ts';
import type { UserRow } from '#contract/users/rows.ts';
import { eachProvider } from '#server/platform/jobs/each-provider.ts';
import type { Timer } from '#server/platform/jobs/each-provider.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { judgeAll } from './judge.ts';
import type { Judged } from './judge.ts';
import { keptAlarms } from './alarm-state.ts';

const EVERY: Ms = 5 * 60_000;

/**
 * SLA-3, every five minutes: notifies an alarm's recipients once when it breaks, and again when it
 * recovers.
 */
export const startSla = (world: AppContext): Timer =>
  eachProvider(world, EVERY, 'the alarms of a provider could not be judged', (tenant, now) =>
    judgeTenant(world, tenant, now),
  );

/**
 * Evaluates without the lock and notifies under it, so only one of two servers on a database
 * notifies.
 */
async function judgeTenant(world: AppContext, tenant: TenantId, now: Ms): Promise<void> {
  const judged = await world.store.tenant(
    tenant,
    async (tx) => {
      const kept = (await keptAlarms(tx)).filter(({ alarm }) => alarm.enabled);
      const alarms = kept.map(({ alarm }) => alarm);
      if (alarms.length === 0) return null;
      const all = await judgeAll(tx, alarms, now);
      return kept.some(({ alarm, brokenSince }) => isNews(all.verdicts.get(alarm.id), brokenSince))
        ? { ...all, alarms }
        : null;
    },
    { readOnly: true },
  );
  if (judged === null) return;
  await world.store.tenant(tenant, async (tx) => {
    await tx.lock();
    for (const { alarm, brokenSince } of await keptAlarms(tx)) {
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
        .set({ broken_since: verdict.kept ? null : now, fired_at: now })
        .where('tenant_id', '=', tenant)
        .where('id', '=', alarm.id)
        .execute();
      await tellOf(world, tx, alarm, verdict, judged, now);
    }
  });
}

const isNews = (verdict: SlaVerdict | undefined, brokenSince: Ms | null): boolean =>
  verdict !== undefined && verdict.kept !== (brokenSince === null);

const MOST_LINES = 30;

async function tellOf(
  world: AppContext,
  tx: TenantTx,
  alarm: SlaRow,
  verdict: SlaVerdict,
  { jobs, lastSuccess }: Judged,
  now: Ms,
): Promise<void> {
  const addresses = await addressesOf(tx, alarm);
  const lines = verdict.late.slice(0, MOST_LINES).flatMap((n) => {
    const known = jobs.get(n);
    const at = lastSuccess.get(n);
    return known
      ? [
          `${known.companyName}: ${known.job.name}${known.job.computer === '' ? '' : ` on ${known.job.computer}`}, ${at === undefined ? 'no good backup yet' : `last good backup ${utc(at)}`}`,
        ]
      : [];
  });
  const more = verdict.late.length - lines.length;
  const share =
    verdict.share === null
      ? null
      : `${(Math.floor(verdict.share * 1000) / 10).toFixed(1)} % of the results of ${alarm.windowDays} days were good${alarm.minSuccessPct === null ? '' : `, ${alarm.minSuccessPct} % are asked for`}.`;
  const text = [
    verdict.kept ? 'It is kept again.' : 'It is broken.',
    ...(share === null ? [] : [share]),
    ...(lines.length === 0
      ? []
      : [
          `Older than ${alarm.maxAgeHours} hours:`,
          lines.join('\n') + (more > 0 ? `\nand ${more} more.` : ''),
        ]),
    `As of ${utc(now)}. You are told when it breaks and when it is kept again, not in between.`,
  ].join('\n\n');
  for (const to of addresses)
    await post(tx, world, {
      kind: 'mail',
      to,
      subject: `${verdict.kept ? 'Kept again' : 'Broken'}: SLA ${alarm.name}`
        .replaceAll(/\s+/g, ' ')
        .slice(0, 150),
      text: `${text}\n`,
    });
}

/** Returns the addresses of recipients who still see all of the alarm's jobs. */
async function addressesOf(
  tx: TenantTx,
  { recipients, companies }: SlaRow,
): Promise<readonly string[]> {
  if (recipients.length === 0) return [];
  const users = await tx.rows('user', recipients);
  const people = await tx.sql
    .selectFrom('person')
    .select(['id', 'email'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', [...recipients])
    .where('email_verified', '=', true)
    .execute();
  return people.flatMap(({ id, email }) => (email && maySee(users, id, companies) ? [email] : []));
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

const utc = (at: Ms): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
