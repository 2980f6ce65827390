import { MILLS, type InvoiceDraft } from '#contract/billing/invoice.ts';
import { BILLING_SECRETS } from '#contract/billing/service-levels.ts';
import {
  getBilledQuantity,
  getBilledUsage,
  type UsageMonthRow,
} from '#contract/billing/usage-months.ts';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { getDay } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { badField, by, FORBIDDEN_RESULT, NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { explainBooksError } from '../invoice-handlers.ts';
import { catchBooksError } from '../quickbooks-endpoint.ts';
import { connectQuickBooks, type Books } from '../quickbooks.ts';
import { quickBooksRow, type QuickBooksRow } from '../quickbooks-tokens.ts';
import { deleteDraftRow } from '../stripe/collect-months.ts';
import {
  deleteUncollectedDraft,
  isWithoutDraft,
  loadCollectionErrors,
} from '../stripe/collection-errors.ts';
import { loadCardMonths } from '../subscriptions/billed-terms.ts';
import { loadBilledCompanies, seesMonths } from '../subscriptions/load.ts';
import { notNow } from '../subscriptions/handlers.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import {
  getCalendarMonth,
  getMonthAt,
  getMonthBefore,
  parseMonth,
} from '../subscriptions/month.ts';
import { monthInvoiceMessages as t } from './messages.en.ts';
import { deleteDraft, storeDraft } from './stored-draft.ts';
import { loadVolumes } from './solarwinds.ts';

type Names =
  | 'listQuickBooksReps'
  | 'listQuickBooksItems'
  | 'listQuickBooksTaxes'
  | 'getPrecalculatedQuantity'
  | 'previewMonthInvoice'
  | 'sendMonthInvoice'
  | 'listBackupVolumes'
  | 'getBillingSecrets'
  | 'setBillingSecret';

/** Requests to the SolarWinds server per minute and provider. */
const VOLUMES_PER_MINUTE = 20;

/** A month that can be invoiced: to which customer, in which books. */
interface Billable {
  readonly row: UsageMonthRow;
  readonly customer: { readonly id: string; readonly name: string };
  readonly books: QuickBooksRow & { readonly realm_id: string };
  /** Stripe should have collected it, and hasn't. */
  readonly isByCard: boolean;
}

/** BILL-16: the invoice of a month, and what it is made of. */
export function monthInvoiceHandlers(context: AppContext): Pick<Handlers, Names> {
  const rateLimit = makePerMinuteLimit(VOLUMES_PER_MINUTE);
  const list = async (
    ctx: SessionContext,
    read: (books: Books) => ReturnType<Books['items']>,
  ): Promise<Result<OutputOf<'listQuickBooksItems'>>> => {
    if (ctx.session.companies !== null) return FORBIDDEN_RESULT;
    const row = await context.store.tenant(ctx.tenant, loadConnected, { readOnly: true });
    if (row === null) return notNow(MESSAGES.quickBooksNotConnected);
    const rows = await catchBooksError(() =>
      read(connectQuickBooks(context, ctx.tenant, row, row.realm_id)),
    );
    return rows.ok
      ? ok({ rows: [...rows.value], count: rows.value.length })
      : failed(explainBooksError(rows.error));
  };

  return {
    listQuickBooksReps: (_, ctx) => list(ctx, (books) => books.employees()),
    listQuickBooksItems: (_, ctx) => list(ctx, (books) => books.items()),
    listQuickBooksTaxes: (_, ctx) => list(ctx, (books) => books.taxes()),

    getPrecalculatedQuantity: ({ companyId, month, year }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const company = (await loadBilledCompanies(tx, ctx.session)).find(
            ({ n, id }) => n === companyId || id === companyId,
          );
          if (company === undefined) return NOT_FOUND_RESULT;
          const { timeZone } = await loadCompanyLimit(tx);
          const last = getMonthBefore(getMonthAt(ctx.now, timeZone));
          const wanted = getCalendarMonth(
            year ?? Number(last.text.slice(0, 4)),
            month ?? Number(last.text.slice(5)),
          );
          const row = (await tx.all('usageMonth')).find(
            (one) => one.company === company.n && one.month === wanted.text,
          );
          if (row === undefined) return NOT_FOUND_RESULT;
          const { lines } = getBilledUsage(row);
          return ok({
            month: Number(wanted.text.slice(5)),
            year: Number(wanted.text.slice(0, 4)),
            users: getBilledQuantity(lines, 'users') ?? 0,
            gigabytes: (row.changed ?? row).gigabytes,
            ack: row.ack !== null,
          });
        },
        { readOnly: true },
      ),

    previewMonthInvoice: ({ usageId }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const found = await findBillable(tx, ctx, usageId);
          if (!found.ok) return found;
          const { row, customer } = found.value;
          const { lines, totalMills } = getBilledUsage(row);
          return ok({
            customer: customer.name,
            currency: row.currency,
            lines: [...lines],
            totalMills,
          });
        },
        { readOnly: true },
      ),

    async sendMonthInvoice({ usageId, userItem, gigabyteItem, tax, rep }, ctx) {
      const found = await context.store.tenant(ctx.tenant, (tx) => findBillable(tx, ctx, usageId), {
        readOnly: true,
      });
      if (!found.ok) return found;
      const { row, customer, books, isByCard } = found.value;
      const { lines } = getBilledUsage(row);
      if (gigabyteItem == null && lines.some(({ kind }) => kind === 'gigabytes'))
        return badField('gigabyteItem', MESSAGES.selectItem);
      const wanted: InvoiceDraft = {
        customer: customer.id,
        currency: row.currency,
        note: rep == null || rep === '' ? null : t.rep({ name: rep }),
        lines: lines.map(({ kind, quantity, priceMills, amountMills }) => ({
          item: kind === 'users' ? userItem : (gigabyteItem ?? ''),
          description: t[kind]({ month: row.month }),
          quantity: quantity / 100,
          price: priceMills / MILLS,
          amount: amountMills / MILLS,
          tax: tax ?? null,
        })),
      };
      if (isByCard) {
        const deleted = await deleteUncollectedDraft(context, ctx.tenant, row.id);
        if (!deleted.ok) return deleted;
      }
      const draft = await context.store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        // Stripe may have collected it meanwhile.
        if (isByCard && !(await isWithoutDraft(tx, row.id))) return null;
        return storeDraft(tx, row.id, wanted);
      });
      if (draft === null) return notNow(MESSAGES.monthPaidByCard);
      // QuickBooks answers a repeated request id with the same invoice, or why it made none.
      const made = await catchBooksError(() =>
        connectQuickBooks(context, ctx.tenant, books, books.realm_id).createInvoice(
          getRequestId(row),
          draft,
        ),
      );
      if (!made.ok) {
        if (made.error.kind === 'refused')
          await context.store.tenant(ctx.tenant, (tx) => deleteDraft(tx, row.id));
        return failed(explainBooksError(made.error));
      }
      return context.store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        await deleteDraft(tx, row.id);
        await deleteDraftRow(tx, row.id);
        // The same request may have been answered twice.
        const current = (await tx.rows('usageMonth', [row.id])).get(row.id);
        if (current?.invoice != null) return ok({ invoice: current.invoice.id });
        await tx.append(
          [
            {
              event: {
                type: 'usage.invoiced@1',
                data: { id: row.id, invoice: made.value.number },
              },
              company: row.company,
              entity: `usage:${row.id}`,
            },
          ],
          by(ctx),
        );
        await audit(tx, context, ctx, {
          what: 'usage.invoiced',
          user: null,
          detail: { company: row.company, month: row.month },
        });
        return ok({ invoice: made.value.number });
      });
    },

    async listBackupVolumes(_, ctx) {
      if (ctx.session.companies !== null) return FORBIDDEN_RESULT;
      const refused = rateLimit.check(ctx.tenant, ctx.now);
      return refused ? failed(refused) : ok(await loadVolumes(context, ctx.tenant));
    },

    getBillingSecrets: (_, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => ok(await loadSecrets(tx)), { readOnly: true }),

    setBillingSecret: async ({ name, value }, ctx) =>
      ctx.session.companies !== null
        ? FORBIDDEN_RESULT
        : context.store.tenant(ctx.tenant, async (tx) => {
            await tx.lock();
            // Nobody could sign up any more.
            if (name === 'recaptcha' && value === null && (await isCaptchaOn(tx)))
              return notNow(MESSAGES.captchaIsOn);
            await storeSecret(tx, context, name, value);
            await audit(tx, context, ctx, {
              what: value === null ? 'secret.removed' : 'secret.set',
              user: null,
              detail: { name },
            });
            return ok(await loadSecrets(tx));
          }),
  };
}

/** QuickBooks answers a request id with the invoice that it made for it, even if that was voided. */
const getRequestId = ({ id, releases = 0 }: UsageMonthRow): string =>
  releases === 0 ? id : `${id}-${releases}`;

const isCaptchaOn = async (tx: TenantTx): Promise<boolean> =>
  (await loadBillingSettings(tx)).recaptcha.isOn;

async function loadSecrets({ tenant, sql }: TenantTx): Promise<OutputOf<'getBillingSecrets'>> {
  const rows = await sql
    .selectFrom('secret')
    .select('name')
    .where('tenant_id', '=', tenant)
    .where('name', 'in', [...BILLING_SECRETS])
    .execute();
  return { secrets: BILLING_SECRETS.filter((name) => rows.some((row) => row.name === name)) };
}

async function loadConnected(
  tx: TenantTx,
): Promise<(QuickBooksRow & { readonly realm_id: string }) | null> {
  const row = await quickBooksRow(tx);
  const realm = row?.realm_id ?? null;
  return row === undefined || realm === null || row.ended ? null : { ...row, realm_id: realm };
}

/** Returns why a month can't be invoiced, or to whom it is. */
async function findBillable(
  tx: TenantTx,
  { session, now }: SessionContext,
  usageId: string,
): Promise<Result<Billable>> {
  if (session.companies !== null) return FORBIDDEN_RESULT;
  const row = (await tx.rows('usageMonth', [usageId])).get(usageId);
  const company = row && (await tx.rows('company', [row.company])).get(row.company);
  if (!row || !company || !seesMonths(session, company)) return NOT_FOUND_RESULT;
  if (row.invoice !== null) return notNow(MESSAGES.monthInvoiced);
  const { timeZone } = await loadCompanyLimit(tx);
  const isByCard = (await loadCardMonths(tx, timeZone))(row);
  if (isByCard && !(await loadCollectionErrors(tx)).has(row.id))
    return notNow(MESSAGES.monthPaidByCard);
  if (row.ack === null) return notNow(MESSAGES.notAcknowledged);
  if (parseMonth(row.month).last >= getDay(now, timeZone, 0)) return notNow(MESSAGES.monthNotOver);
  const books = await loadConnected(tx);
  if (books === null) return notNow(MESSAGES.quickBooksNotConnected);
  const customer = await tx.sql
    .selectFrom('invoice_customer')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('company_n', '=', row.company)
    .where('active', '=', true)
    .orderBy('id')
    .executeTakeFirst();
  return customer === undefined
    ? notNow(MESSAGES.noCustomer)
    : ok({ row, customer, books, isByCard });
}
