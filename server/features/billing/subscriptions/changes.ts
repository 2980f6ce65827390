import { type Currency, findPrices, isForSuperAdmins } from '#contract/billing/service-levels.ts';
import {
  getSubscriptionEffect,
  RESTORABLE_MS,
  type SubscriptionEffect,
  type SubscriptionOperation,
} from '#contract/billing/subscription-changes.ts';
import { isOwedOfEnded, type SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { Event } from '#contract/events.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ok, type Result } from '#contract/result.ts';
import { type DayN, getDay } from '#contract/time/day.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { badField, by, FORBIDDEN_RESULT, NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { deleteCompanyRows } from '#server/platform/tenancy/delete-company.ts';
import { changeAtStripe } from '../stripe/change-at-stripe.ts';
import { loadBilledDays } from './billed-terms.ts';
import { notNow } from './handlers.ts';
import {
  canUndo,
  findBilledCompany,
  findDebtor,
  findSubscription,
  toSubscriptionOutput,
} from './load.ts';
import { getMonthAt, getMonthEnd } from './month.ts';
import { loadBillingSettings } from './settings.ts';
import { loadTypicalUsage, type TypicalUsage } from './typical-usage.ts';

type Names =
  | 'previewSubscription'
  | 'startSubscription'
  | 'cancelSubscription'
  | 'updateSubscription'
  | 'updateTrial'
  | 'changeServiceLevel'
  | 'rollbackSubscription'
  | 'writeOffCompanyDebt'
  | 'deleteSubscriber';
type Preview = ParsedInputOf<'previewSubscription'>;
type Changed = Result<OutputOf<'cancelSubscription'>>;

/** A subscription that an operation may change now, and what it would do. */
interface Prepared {
  readonly company: CompanyRow;
  readonly row: SubscriptionRow;
  readonly change: SubscriptionOperation;
  readonly effect: SubscriptionEffect;
  readonly usageMonth: TypicalUsage['usageMonth'];
}

/** Operations that a subscriber may do, too; the others are the provider's. */
const OWN: ReadonlySet<Preview['operation']> = new Set(['cancel', 'change-level', 'rollback']);

/** BILL-14: operations on subscriptions. Each follows the preview that it gives. */
export function subscriptionChangeHandlers(context: AppContext): Pick<Handlers, Names> {
  const auditChange = (
    tx: TenantTx,
    ctx: SessionContext,
    operation: Preview['operation'],
    company: CompanyN,
  ): Promise<unknown> =>
    audit(tx, context, ctx, {
      what: `subscription.${operation}`,
      user: null,
      detail: { company },
    });
  const change = async (ctx: SessionContext, input: Preview): Promise<Changed> => {
    const first = await context.store.tenant(ctx.tenant, (tx) => prepare(tx, ctx, input), {
      readOnly: true,
    });
    if (!first.ok) return first;
    const { row: before, change: wanted } = first.value;
    const atStripe = await changeAtStripe(context, ctx.tenant, before, wanted);
    if (!atStripe.ok) return atStripe;
    return context.store.tenant(ctx.tenant, async (tx): Promise<Changed> => {
      await tx.lock();
      // Stripe's message about it may have come first.
      const current = (await tx.rows('subscription', [before.id])).get(before.id);
      if (current !== undefined && isDone(current, before, wanted)) {
        await auditChange(tx, ctx, input.operation, current.company);
        return ok({ subscription: toSubscriptionOutput(current) });
      }
      const prepared = await prepare(tx, ctx, input);
      if (!prepared.ok) return prepared;
      const { company, row } = prepared.value;
      await appendChange(tx, ctx, company, getEvent(prepared.value));
      await auditChange(tx, ctx, input.operation, company.n);
      const next = (await tx.rows('subscription', [row.id])).get(row.id) ?? row;
      return ok({ subscription: toSubscriptionOutput(next) });
    });
  };

  return {
    previewSubscription: (input, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const prepared = await prepare(tx, ctx, input);
          if (!prepared.ok) return prepared;
          const { effect, row, usageMonth } = prepared.value;
          return ok({ ...effect, usageMonth, currency: row.currency });
        },
        { readOnly: true },
      ),

    startSubscription: ({ companyId, level, minimumUsers, trialEndsAt }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx): Promise<Changed> => {
        await tx.lock();
        const company = await findBilledCompany(tx, ctx.session, companyId);
        if (company === null) return NOT_FOUND_RESULT;
        const before = await findSubscription(tx, company.n);
        if (before !== null && before.status !== 'ended') return notNow(MESSAGES.hasSubscription);
        if (before !== null && isOwedOfEnded(before)) return notNow(MESSAGES.owesOfEnded);
        if (trialEndsAt !== null && trialEndsAt <= ctx.now)
          return badField('trialEndsAt', MESSAGES.trialInPast);
        const { timeZone } = await loadCompanyLimit(tx);
        const month = getMonthAt(ctx.now, timeZone);
        const settings = await loadBillingSettings(tx);
        if (
          await isBilledInAnotherCurrency(tx, company.n, {
            days: month,
            timeZone,
            currency: settings.currency,
          })
        )
          return notNow(MESSAGES.otherCurrencyThisMonth);
        const prices = findPrices(settings, level);
        if (prices?.isOffered !== true) return badField('level', MESSAGES.levelNotOffered);
        if (isForSuperAdmins(level) && !ctx.session.roles.includes('super-admin'))
          return badField('level', MESSAGES.levelNotYours);
        const id = context.chance.uuid();
        const { userMills, gigabyteMills } = prices;
        await appendChange(tx, ctx, company, {
          type: 'subscription.started@1',
          data: {
            id,
            company: company.n,
            status: 'active',
            currency: settings.currency,
            level,
            userMills,
            gigabyteMills,
            minimumUsers,
            trialEndsAt,
            periodEndsAt: getMonthEnd(month, timeZone),
            hasCard: false,
            // A debt that was written off doesn't come back.
            ...(before?.forgivenAt !== undefined && { forgivenAt: before.forgivenAt }),
          },
        });
        await audit(tx, context, ctx, {
          what: 'subscription.started',
          user: null,
          detail: { company: company.n, level },
        });
        const row = await findSubscription(tx, company.n);
        return row === null ? NOT_FOUND_RESULT : ok({ subscription: toSubscriptionOutput(row) });
      }),

    cancelSubscription: ({ companyId }, ctx) => change(ctx, { companyId, operation: 'cancel' }),
    updateSubscription: (input, ctx) => change(ctx, { ...input, operation: 'update' }),
    updateTrial: (input, ctx) => change(ctx, { ...input, operation: 'update-trial' }),
    changeServiceLevel: (input, ctx) => change(ctx, { ...input, operation: 'change-level' }),
    rollbackSubscription: ({ companyId }, ctx) => change(ctx, { companyId, operation: 'rollback' }),
    writeOffCompanyDebt: ({ companyId }, ctx) => change(ctx, { companyId, operation: 'forgive' }),

    deleteSubscriber: ({ companyId }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        if (ctx.session.companies !== null) return FORBIDDEN_RESULT;
        await tx.lock();
        const company = await findBilledCompany(tx, ctx.session, companyId);
        if (company === null) return NOT_FOUND_RESULT;
        await deleteCompanyRows(tx, context, ctx, company);
        await scheduleRecurring(tx, 'payments', ctx.now);
        return ok({ restorableUntil: ctx.now + RESTORABLE_MS });
      }),
  };
}

/** BILL-3: a month has one amount, so it isn't billed in two currencies. */
async function isBilledInAnotherCurrency(
  tx: TenantTx,
  company: CompanyN,
  {
    days,
    timeZone,
    currency,
  }: {
    readonly days: { readonly first: DayN; readonly last: DayN };
    readonly timeZone: string;
    readonly currency: Currency;
  },
): Promise<boolean> {
  const billed = (await loadBilledDays(tx, days, timeZone)).get(company);
  return [...(billed?.values() ?? [])].some((terms) => terms.currency !== currency);
}

/** Returns why a subscription can't change to a currency now, or null. Today has the terms of its end. */
async function findCurrencyRefusal(
  tx: TenantTx,
  row: SubscriptionRow,
  currency: Currency,
  now: Ms,
): Promise<string | null> {
  if (currency === row.currency) return null;
  // Stripe's customers pay in one currency.
  if (row.hasCard) return MESSAGES.cardInAnotherCurrency;
  const { timeZone } = await loadCompanyLimit(tx);
  const days = { first: getMonthAt(now, timeZone).first, last: getDay(now, timeZone, 0) - 1 };
  const isMixed = await isBilledInAnotherCurrency(tx, row.company, { days, timeZone, currency });
  return isMixed ? MESSAGES.otherCurrencyThisMonth : null;
}

/** Whether a message of Stripe has already changed the row as wanted. */
function isDone(
  current: SubscriptionRow,
  before: SubscriptionRow,
  change: SubscriptionOperation,
): boolean {
  if (!before.hasCard) return false;
  switch (change.operation) {
    case 'cancel':
      return current.status === 'cancelled' || current.status === 'ended';
    case 'rollback':
      return before.status === 'cancelled' && current.status === 'active';
    case 'update-trial':
      return current.trialEndsAt !== before.trialEndsAt;
    case 'forgive':
      return (
        before.owedMills > 0 &&
        current.owedMills === 0 &&
        (current.status === 'active' || current.status === 'ended')
      );
    default:
      return false;
  }
}

/** Appends the event of a change. The clock's next change may be earlier than before. */
async function appendChange(
  tx: TenantTx,
  ctx: SessionContext,
  { n }: CompanyRow,
  event: Extract<Event, { readonly type: `subscription.${string}` }>,
): Promise<void> {
  await tx.append([{ event, company: n, entity: `subscription:${event.data.id}` }], by(ctx));
  await scheduleRecurring(tx, 'subscriptions', ctx.now);
}

/** Returns why an operation can't be done, or what it would do. */
async function prepare(
  tx: TenantTx,
  ctx: SessionContext,
  input: Preview,
): Promise<Result<Prepared>> {
  const { session, now } = ctx;
  const isProvider = hasAbility(session, 'o365.subscriptions');
  const isAllowed =
    isProvider || (OWN.has(input.operation) && hasAbility(session, 'o365.service-level'));
  if (!isAllowed) return FORBIDDEN_RESULT;
  const find = input.operation === 'forgive' ? findDebtor : findBilledCompany;
  const company = await find(tx, session, input.companyId);
  if (company === null) return NOT_FOUND_RESULT;
  const row = await findSubscription(tx, company.n);
  if (row === null) return notNow(MESSAGES.noSubscription);
  if (input.operation === 'rollback' && !(await canUndo(tx, session, row)))
    return notNow(MESSAGES.nothingToUndo);
  const change = await getOperation(tx, ctx, input, row);
  if (!change.ok) return change;
  const refusal = await findCurrencyRefusal(tx, row, getCurrencyAfter(row, change.value), now);
  if (refusal !== null) return notNow(refusal);
  const { usage, usageMonth } = await loadTypicalUsage(tx, row, now);
  const effect = getSubscriptionEffect(row, change.value, usage, now);
  if (effect === null) return notNow(MESSAGES.subscriptionNotNow);
  return ok({ company, row, change: change.value, effect, usageMonth });
}

function getCurrencyAfter(row: SubscriptionRow, change: SubscriptionOperation): Currency {
  if (change.operation === 'change-level') return change.currency;
  return change.operation === 'rollback' ? (row.undo?.currency ?? row.currency) : row.currency;
}

async function getOperation(
  tx: TenantTx,
  { session, now }: SessionContext,
  { operation, level, userMills, minimumUsers, trialEndsAt }: Preview,
  row: SubscriptionRow,
): Promise<Result<SubscriptionOperation>> {
  switch (operation) {
    case 'change-level': {
      const settings = await loadBillingSettings(tx);
      const prices = level === undefined ? null : findPrices(settings, level);
      if (level === undefined || prices?.isOffered !== true)
        return badField('level', MESSAGES.levelNotOffered);
      if (isForSuperAdmins(level) && !session.roles.includes('super-admin'))
        return badField('level', MESSAGES.levelNotYours);
      return level === row.level
        ? badField('level', MESSAGES.sameLevel)
        : ok({ operation, prices, currency: settings.currency });
    }
    case 'update':
      return ok({
        operation,
        userMills: userMills ?? row.userMills,
        minimumUsers: minimumUsers ?? row.minimumUsers,
      });
    case 'update-trial':
      return trialEndsAt != null && trialEndsAt <= now
        ? badField('trialEndsAt', MESSAGES.trialInPast)
        : ok({ operation, trialEndsAt: trialEndsAt ?? null });
    case 'cancel':
    case 'rollback':
    case 'forgive':
    case 'delete':
      return ok({ operation });
    default:
      return operation satisfies never;
  }
}

type ChangeEvent = Extract<Event, { readonly type: `subscription.${string}` }>;

function getEvent({ row: { id, periodEndsAt }, change }: Prepared): ChangeEvent {
  switch (change.operation) {
    case 'cancel':
      return { type: 'subscription.cancelled@1', data: { id } };
    case 'rollback':
      return { type: 'subscription.rolledBack@1', data: { id } };
    case 'forgive':
      return { type: 'subscription.forgiven@1', data: { id, periodEndsAt } };
    case 'change-level':
      return {
        type: 'subscription.levelChanged@1',
        data: {
          id,
          level: change.prices.level,
          userMills: change.prices.userMills,
          gigabyteMills: change.prices.gigabyteMills,
          currency: change.currency,
        },
      };
    case 'update':
      return {
        type: 'subscription.updated@1',
        data: { id, userMills: change.userMills, minimumUsers: change.minimumUsers },
      };
    case 'update-trial':
      return {
        type: 'subscription.trialChanged@1',
        data: { id, trialEndsAt: change.trialEndsAt },
      };
    case 'delete':
      return { type: 'subscription.ended@1', data: { id } };
    default:
      return change satisfies never;
  }
}
