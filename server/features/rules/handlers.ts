import { sql } from 'kysely';
import type { NewEvent, Event } from '#contract/events.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { listStoredTypes } from '#contract/former-events.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { RuleOut } from '#contract/rules/calls.ts';
import {
  asksSomething,
  doesSomething,
  type RuleFields,
  type RuleRow,
  type RuleWhen,
} from '#contract/rules/rules.ts';
import { failed, ok } from '#contract/result.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { runIdempotently, refusal } from '#server/platform/http/idempotent-command.ts';
import { loadAllUserNames } from '#server/platform/queries/run-details.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { type SyncScope, toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { forgetRules, listActiveRules } from './active-rules.ts';
import { tryOut } from './try-out.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';
import { ruleMessages as t } from './messages.en.ts';

/** RULES-1, RULES-4: users with permission manage rules, within the companies that they see. */
export function ruleHandlers(
  context: AppContext,
): Pick<Handlers, 'listRules' | 'createRule' | 'changeRules' | 'removeRule' | 'testRule'> {
  return {
    listRules: (_, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const scope = toScope(ctx.session);
          const names = await loadAllUserNames(tx);
          const did = await loadRuleActivity(tx, ctx.now - DAYS_30);
          const rules = (await listActiveRules(tx))
            .filter((rule) => owns(scope, rule.when))
            .map((rule) => toOutput(rule, names, did.get(rule.id)));
          const users = new Map((await tx.all('user')).map((user) => [user.id, user]));
          const people = [...names].flatMap(([id, name]) => {
            const user = users.get(id);
            return user && user.deletedAt === null && mayTell(scope, user.companies)
              ? [{ id, name }]
              : [];
          });
          return ok({ rules, people: people.toSorted((a, b) => a.name.localeCompare(b.name)) });
        },
        { readOnly: true },
      ),

    createRule: ({ rule }, ctx) =>
      runIdempotently<{ _id: string }>(context, ctx, async (tx) => {
        const id = context.chance.uuid();
        const existing = await listActiveRules(tx);
        const refused = await loadRefusal(tx, toScope(ctx.session), rule);
        if (refused) return refusal(refused);
        if (existing.length >= LIMITS.rules)
          return refusal({ kind: 'conflict', message: MESSAGES.rulesFull({ max: LIMITS.rules }) });
        forgetRules(tx);
        const rank = (existing.at(-1)?.rank ?? -1) + 1;
        return {
          drafts: [about(id, { type: 'rule.created@1', data: { id, rank, ...rule } })],
          answer: () => ok({ _id: id }),
        };
      }),

    changeRules: ({ id, rule, order }, ctx) =>
      runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        const scope = toScope(ctx.session);
        const existing = await listActiveRules(tx);
        if (id !== undefined && rule !== undefined && order === undefined) {
          const before = existing.find((one) => one.id === id);
          if (!before || !owns(scope, before.when)) return refusal(NOT_FOUND);
          const refused = await loadRefusal(tx, scope, rule);
          if (refused) return refusal(refused);
          forgetRules(tx);
          return {
            drafts: [about(id, { type: 'rule.updated@1', data: { id, ...rule } })],
            answer: done,
          };
        }
        if (order === undefined || id !== undefined || rule !== undefined)
          return refusal({
            kind: 'bad-input',
            message: MESSAGES.badInput,
            issues: [{ path: '', message: t.ruleOrOrder }],
          });
        const own = existing.filter((one) => owns(scope, one.when)).map((one) => one.id);
        // A rule was added or removed in the meantime, so the order no longer matches.
        if (own.length !== order.length || own.some((one) => !order.includes(one)))
          return refusal({ kind: 'conflict', message: MESSAGES.rulesChanged });
        const places = order[Symbol.iterator]();
        const ids = existing.map((one) =>
          owns(scope, one.when) ? (places.next().value ?? one.id) : one.id,
        );
        forgetRules(tx);
        return {
          drafts: [
            { event: { type: 'rules.ordered@1', data: { ids } }, company: null, entity: 'rules' },
          ],
          answer: done,
        };
      }),

    removeRule: ({ id }, ctx) =>
      runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        const rule = (await listActiveRules(tx)).find((one) => one.id === id);
        if (!rule || !owns(toScope(ctx.session), rule.when)) return refusal(NOT_FOUND);
        forgetRules(tx);
        return {
          drafts: [about(id, { type: 'rule.deleted@1', data: { id } })],
          answer: () => ok({}),
        };
      }),

    testRule: ({ id = null, when, does }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const scope = toScope(ctx.session);
          if (!asksSomething(when)) return failed(bad('when', MESSAGES.ruleAsksNothing));
          if (when.companies.some((n) => !isCompanyInScope(scope, n))) return failed(FORBIDDEN);
          return ok(await tryOut(tx, scope, { id, when, does }, ctx.now));
        },
        { readOnly: true },
      ),
  };
}

const done = () => ok({});

const DAYS_30: Ms = 30 * 86_400_000;
const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
const FORBIDDEN: Failure = { kind: 'forbidden', message: MESSAGES.ruleNotYours };
const bad = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});
const about = (id: string, event: Event): NewEvent => ({
  event,
  company: null,
  entity: `rule:${id}`,
});

/**
 * Users with access to some companies manage only rules that name companies, all of which they see.
 */
export const owns = (scope: SyncScope, { companies }: RuleWhen): boolean =>
  scope.companies === null ||
  (companies.length > 0 && companies.every((n) => isCompanyInScope(scope, n)));
const mayTell = (scope: SyncScope, companies: readonly number[] | null): boolean =>
  scope.companies === null ||
  companies === null ||
  companies.some((n) => isCompanyInScope(scope, n));

async function loadRefusal(
  tx: TenantTx,
  scope: SyncScope,
  { when, does, from, to }: RuleFields,
): Promise<Failure | null> {
  if (!asksSomething(when)) return bad('rule.when', MESSAGES.ruleAsksNothing);
  if (!doesSomething(does)) return bad('rule.does', MESSAGES.ruleDoesNothing);
  if (from !== null && to !== null && to <= from) return bad('rule.to', MESSAGES.evidenceEmpty);
  if (!owns(scope, when)) return FORBIDDEN;
  if ((await tx.rows('company', when.companies)).size < new Set(when.companies).size)
    return bad('rule.when.companies', MESSAGES.notFound);
  const users = await tx.rows('user', does.notify);
  return does.notify.every((id) => {
    const user = users.get(id);
    return user !== undefined && user.deletedAt === null && mayTell(scope, user.companies);
  })
    ? null
    : bad('rule.does.notify', MESSAGES.notFound);
}

const toOutput = (
  { id, rank: _rank, removedAt: _removedAt, madeBy, ...rest }: RuleRow,
  names: ReadonlyMap<string, string>,
  did: RuleOut['did'] | undefined,
): RuleOut => ({
  _id: id,
  ...rest,
  madeBy: names.get(madeBy) ?? actorMessages.formerUser,
  did: did ?? { problems: 0, last: null },
});

/** Returns what each rule has done since then, from the log. */
async function loadRuleActivity(
  tx: TenantTx,
  since: Ms,
): Promise<ReadonlyMap<string, RuleOut['did']>> {
  const { rows } = await sql<{
    rule: string;
    problems: number;
    last: number;
  }>`select data->>'rule' as rule, count(distinct data->>'problem')::int as problems, max(at)::float8 as last from event
    where tenant_id = ${tx.tenant} and type in (${sql.join(listStoredTypes(['problem.excepted@1', 'problem.ruleApplied@1']))}) and entity not like 'run:%' and at >= ${since} group by 1`.execute(
    tx.sql,
  );
  return new Map(rows.map(({ rule, problems, last }) => [rule, { problems, last }]));
}
