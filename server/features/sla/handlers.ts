import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { SlaOut } from '#contract/sla/calls.ts';
import type { SlaFields, SlaRow } from '#contract/sla/sla.ts';
import type { UserRow } from '#contract/users/rows.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { audit } from '#server/platform/auth/audit.ts';
import type { SessionContext, Handlers, Principal } from '#server/platform/http/handler.ts';
import { knownJobs } from '#server/platform/queries/known-jobs.ts';
import { loadAllUserNames } from '#server/platform/queries/run-details.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import {
  type SyncScope,
  toScope,
  isCompanyInScope,
  sharesCompany,
} from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { getAlarmJobs, judgeAll } from './judge.ts';
import { keepAlarm, loadAlarms } from './alarm-state.ts';
import type { StoredAlarm } from './alarm-state.ts';
import { slaReport } from './report.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';

/**
 * SLA-1, SLA-2: users manage alarms within the companies that they see; each alarm is returned with
 * its current state.
 */
export function slaHandlers(
  context: AppContext,
): Pick<
  Handlers,
  | 'saveSlaAlarm'
  | 'changeSlaAlarm'
  | 'getSlaAlarm'
  | 'listSlaAlarms'
  | 'removeSlaAlarm'
  | 'slaReport'
> {
  return {
    saveSlaAlarm: ({ alarm }, ctx) =>
      write(context, ctx, async (tx, session, scope) => {
        const made = await loadAlarm(tx, scope, alarm);
        if (!made.ok) return made;
        if ((await loadAlarms(tx)).length >= LIMITS.slaAlarms)
          return failed({ kind: 'conflict', message: MESSAGES.slaFull({ max: LIMITS.slaAlarms }) });
        const id = context.chance.uuid();
        await keepAlarm(tx, {
          ...alarm,
          ...made.value,
          id,
          madeBy: session.userId,
          changedAt: ctx.now,
        });
        await audit(tx, context, ctx, { what: 'sla.made', user: null, detail: { id } });
        return ok({ _id: id, id });
      }),

    changeSlaAlarm: ({ id, alarm }, ctx) =>
      write(context, ctx, async (tx, _signed, scope) => {
        const before = await seenAlarm(tx, scope, id);
        if (!before) return failed(NOT_FOUND);
        const made = await loadAlarm(tx, scope, alarm);
        if (!made.ok) return made;
        await keepAlarm(tx, {
          ...alarm,
          ...made.value,
          id,
          madeBy: before.alarm.madeBy,
          changedAt: ctx.now,
        });
        await audit(tx, context, ctx, { what: 'sla.changed', user: null, detail: { id } });
        return ok({});
      }),

    removeSlaAlarm: ({ id }, ctx) =>
      write(context, ctx, async (tx, _signed, scope) => {
        if (!(await seenAlarm(tx, scope, id))) return failed(NOT_FOUND);
        await tx.sql
          .deleteFrom('sla_alarm')
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', id)
          .execute();
        await audit(tx, context, ctx, { what: 'sla.removed', user: null, detail: { id } });
        return ok({});
      }),

    getSlaAlarm: ({ jobInstanceUid }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const { companies, deleted } = toScope(ctx.session);
          const jobs = await knownJobs(tx, {
            companies: companies === null ? null : [...companies],
            without: [...deleted],
          });
          const own = [...jobs.values()].filter(({ job }) => job.uid === jobInstanceUid);
          if (own.length === 0) return failed(NOT_FOUND);
          const looks = ({ alarm }: StoredAlarm): boolean => {
            const meant = getAlarmJobs(alarm, jobs);
            return own.some(({ job }) => meant.has(job.n));
          };
          return ok({
            alarms: await toOutput(
              tx,
              (await seenAlarms(tx, toScope(ctx.session))).filter(looks),
              ctx.now,
            ),
          });
        },
        { readOnly: true },
      ),

    listSlaAlarms: (_, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const scope = toScope(ctx.session);
          const users = await tx.all('user');
          const names = await loadAllUserNames(tx);
          const people = users.filter(
            (user) => user.deletedAt === null && sharesCompany(scope, user),
          );
          return ok({
            alarms: await toOutput(tx, await seenAlarms(tx, scope), ctx.now),
            people: people
              .flatMap(({ id }) => {
                const name = names.get(id);
                return name === undefined ? [] : [{ id, name }];
              })
              .toSorted((a, b) => a.name.localeCompare(b.name)),
          });
        },
        { readOnly: true },
      ),

    slaReport: slaReport(context),
  };
}

const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
const bad = (path: string, message: string): Result<never> =>
  failed({ kind: 'bad-input', message, issues: [{ path, message }] });

/** Runs under the lock, so that a change is based on the current row. */
function write<T>(
  context: AppContext,
  ctx: SessionContext,
  work: (tx: TenantTx, session: Principal, scope: SyncScope) => Promise<Result<T>>,
): Promise<Result<T>> {
  const { session } = ctx;
  return context.store.tenant(ctx.tenant, async (tx) => {
    await tx.lock();
    return work(tx, session, toScope(session));
  });
}

/**
 * Returns whether the user sees all companies of the alarm. An alarm without any company belongs to
 * its creator.
 */
function seesAlarm(scope: SyncScope, { companies, madeBy }: Pick<SlaRow, 'companies' | 'madeBy'>) {
  if (companies === null || companies.length === 0)
    return scope.companies === null || (companies !== null && madeBy === scope.own);
  return companies.every((n) => isCompanyInScope(scope, n));
}
const seenAlarms = async (tx: TenantTx, scope: SyncScope): Promise<readonly StoredAlarm[]> =>
  (await loadAlarms(tx)).filter(({ alarm }) => seesAlarm(scope, alarm));
const seenAlarm = async (
  tx: TenantTx,
  scope: SyncScope,
  id: string,
): Promise<StoredAlarm | undefined> =>
  (await seenAlarms(tx, scope)).find(({ alarm }) => alarm.id === id);

/** Returns the alarm's job and companies. If no company is named, those that its creator sees. */
async function loadAlarm(
  tx: TenantTx,
  scope: SyncScope,
  { job, group, maxAgeHours, minSuccessPct, recipients }: SlaFields,
): Promise<Result<Pick<SlaRow, 'n' | 'companies'>>> {
  if ((job === null) === (group === null)) return bad('alarm.job', MESSAGES.slaOfWhat);
  if (maxAgeHours === null && minSuccessPct === null)
    return bad('alarm.maxAgeHours', MESSAGES.slaAsksNothing);
  const users = await tx.rows('user', recipients);
  if (!recipients.every((id) => mayTell(scope, users.get(id))))
    return bad('alarm.recipients', MESSAGES.notFound);
  if (job !== null) {
    const found = (await tx.all('job')).filter(
      (one) =>
        one.uid === job.jobInstanceUid &&
        (job.key === null || one.key === job.key) &&
        isCompanyInScope(scope, one.company),
    );
    const [only] = found;
    if (!only) return failed(NOT_FOUND);
    return found.length > 1
      ? failed({ kind: 'conflict', message: MESSAGES.jobAmbiguous })
      : ok({ n: only.n, companies: [only.company] });
  }
  const named = group?.companyIds ?? [];
  if (named.length === 0)
    return ok({ n: null, companies: scope.companies === null ? null : [...scope.companies] });
  const known = await tx.rows('company', named);
  return named.every((n) => known.has(n) && isCompanyInScope(scope, n))
    ? ok({ n: null, companies: [...new Set(named)] })
    : bad('alarm.group.companyIds', MESSAGES.notFound);
}

const mayTell = (scope: SyncScope, user: UserRow | undefined): boolean =>
  user !== undefined && user.deletedAt === null && sharesCompany(scope, user);

const LATE = 20;

async function toOutput(tx: TenantTx, stored: readonly StoredAlarm[], now: Ms): Promise<SlaOut[]> {
  const names = await loadAllUserNames(tx);
  const { verdicts, jobs, lastSuccess } = await judgeAll(
    tx,
    stored.map(({ alarm }) => alarm),
    now,
  );
  return stored
    .flatMap(
      ({
        alarm: { id, n, companies: _companies, madeBy, ...alarm },
        brokenSince,
        firedAt,
      }): SlaOut[] => {
        const verdict = verdicts.get(id);
        const own = n === null ? undefined : jobs.get(n);
        if (!verdict) return [];
        const late = verdict.late.slice(0, LATE).flatMap((one) => {
          const known = jobs.get(one);
          return known
            ? [
                {
                  jobInstanceUid: known.job.uid,
                  jobName: known.job.name,
                  companyName: known.companyName,
                  lastSuccessAt: lastSuccess.get(one) ?? null,
                },
              ]
            : [];
        });
        return [
          {
            _id: id,
            id,
            jobInstanceUid: alarm.job?.jobInstanceUid ?? null,
            ...alarm,
            recipients: [...alarm.recipients],
            madeBy: names.get(madeBy) ?? actorMessages.formerUser,
            jobName: own?.job.name ?? null,
            companyName: own?.companyName ?? null,
            isMet: verdict.isMet,
            kept: verdict.isMet,
            jobs: verdict.jobs,
            share: verdict.share,
            lateCount: verdict.late.length,
            late,
            brokenSince,
            lastFiredAt: firedAt,
          },
        ];
      },
    )
    .toSorted((a, b) => Number(a.isMet) - Number(b.isMet) || a.name.localeCompare(b.name));
}
