import * as v from 'valibot';
import type { Entity } from '#contract/connections/connection.ts';
import { utcDay } from '#contract/time/day.ts';
import type { ExecutionIn } from '#contract/ingest/calls.ts';
import { deliverJobs, type JobFound, type StoredJob, retireGone } from './deliver.ts';
import { loadFound, forgetGone, keepFound, type RoundResult, type CollectTask } from './task.ts';
import { cutText } from '#contract/stored-text.ts';

const text = v.optional(v.nullable(v.string()));
const count = v.optional(v.nullable(v.number()));
/**
 * The schemas for Zerto Virtual Manager: protection groups and alerts. Field names begin with
 * capital letters in older versions.
 */
const lower = v.pipe(
  v.record(v.string(), v.unknown()),
  v.transform((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name.slice(0, 1).toLowerCase() + name.slice(1),
        value,
      ]),
    ),
  ),
);
const Groups = v.array(
  v.pipe(
    lower,
    v.object({
      vpgIdentifier: v.string(),
      vpgName: text,
      status: count,
      subStatus: count,
      statusDescription: text,
      actualRPO: count,
      configuredRpoSeconds: count,
      vmsCount: count,
      usedStorageInMB: count,
      zorg: v.optional(v.nullable(v.unknown())),
      organizationName: text,
      protectedSiteName: text,
      recoverySiteName: text,
    }),
  ),
);
type Group = v.InferOutput<typeof Groups>[number];
const Alerts = v.array(
  v.pipe(
    lower,
    v.object({
      link: v.optional(v.nullable(v.object({ identifier: text }))),
      level: v.optional(v.nullable(v.unknown())),
      helpIdentifier: text,
      description: text,
      turnedOn: text,
      entity: v.optional(v.nullable(v.unknown())),
    }),
  ),
);

type Status = ExecutionIn['status'];
/**
 * Initializing, failing over and moving are in progress; meeting the SLA and recovered succeed; an
 * unmet history or RPO is a warning; deleting reports nothing.
 */
const STATUS: Readonly<Record<number, Status>> = {
  0: 'Running',
  1: 'Success',
  2: 'Failed',
  3: 'Warning',
  4: 'Warning',
  5: 'Running',
  6: 'Running',
  8: 'Success',
};
const SUB_ERROR = 8;

/** Reads Zerto. All results belong to the connection's company. */
export const ZERTO: Readonly<Partial<Record<Entity, (task: CollectTask) => Promise<RoundResult>>>> =
  {
    async jobs(task) {
      const { context, tenant, connection, client } = task;
      const groups = await client.read('vpgs', Groups);
      const known = new Map(
        (
          await context.store.tenant(tenant, (tx) => loadFound(tx, connection.id, ['jobs']), {
            readOnly: true,
          })
        ).map(({ uid, row }) => [uid, row as unknown as StoredJob]),
      );
      await deliverJobs(
        task,
        groups.map((group) =>
          groupJob(
            group,
            connection.company_n,
            known.get(group.vpgIdentifier),
            context.clock.now(),
          ),
        ),
      );
      await retireGone(task);
      return { rows: groups.length, unlinked: connection.company_n === null ? groups.length : 0 };
    },

    async alarms(task) {
      const { context, tenant, connection, client } = task;
      const alerts = await client.read('alerts?isDismissed=false', Alerts);
      await context.store.tenant(tenant, async (tx) => {
        await keepFound(
          tx,
          task,
          alerts.map(({ link, level, helpIdentifier, description, turnedOn }, place) => ({
            uid: link?.identifier ?? `${helpIdentifier ?? ''}/${turnedOn ?? place}`,
            name: description ?? helpIdentifier ?? 'Alert',
            company: connection.company_n,
            row: {
              severity: level === 2 || level === 'Error' ? 'Error' : 'Warning',
              at: turnedOn ?? null,
              object: helpIdentifier ?? null,
            },
          })),
        );
        await forgetGone(tx, task);
      });
      return { rows: alerts.length, unlinked: 0 };
    },
  };

/**
 * Returns a protection group as a job with a run. Replication never ends, so each group gets one
 * result a day and one at each change of its state. Results are numbered, so reading one twice
 * records it once. An operation in progress (a move, a failover) is a run that the next state ends.
 */
export function groupJob(
  group: Group,
  company: number | null,
  before: StoredJob | undefined,
  now: number,
): JobFound {
  const { vpgIdentifier: uid, vpgName, statusDescription, actualRPO, configuredRpoSeconds } = group;
  const status = group.subStatus === SUB_ERROR ? 'Failed' : (STATUS[group.status ?? -1] ?? null);
  const day = utcDay(now);
  const facts = {
    job: cutText((vpgName ?? '').trim(), 200).trim() || uid,
    jobInstanceUid: uid,
    source: 'zerto' as const,
    type: 'Replication' as const,
    entityGroup: 'managed-servers' as const,
    managed: true,
    enabled: true,
    schedule: { type: 'every' as const, everySec: 86_400, kind: 'Continuously' as const },
    graceSec: 6 * 3_600,
  };
  const { state, day: lastDay, at, n } = before?.more ?? {};
  const same = state === status && (lastDay === day || status === 'Running');
  const goesOn = state === 'Running' && status !== 'Running';
  const number =
    Number(n ?? 0) + (before === undefined || status === null || same || goesOn ? 0 : 1);
  const began = same || goesOn ? Number(at ?? now) : now;
  if (status === null) return { uid, company, facts, run: null, more: before?.more ?? {} };
  const said =
    status === 'Success' || status === 'Running'
      ? null
      : (statusDescription ?? '').trim() ||
        `The group does not meet its goal (status ${group.status ?? '?'}).`;
  return {
    uid,
    company,
    facts,
    byArrival: true,
    more: { state: status, day, at: began, n: number },
    run: {
      externalId: `${uid} ${number}`,
      status,
      startTime: new Date(began).toISOString(),
      ...(status === 'Running' ? {} : { endTime: new Date(goesOn ? now : began).toISOString() }),
      ...(said === null ? {} : { message: cutText(said, 500) }),
      // Values that change constantly are reported only with the first reading of a result, because
      // a changed value would count as another result.
      ...(same
        ? {}
        : {
            detail: Object.fromEntries(
              [
                ['rpoSec', actualRPO],
                ['configuredRpoSec', configuredRpoSeconds],
              ].filter(([, value]) => value != null),
            ) as Record<string, number>,
          }),
    },
  };
}
