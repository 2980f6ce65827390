import type { Generated } from 'kysely';
import type { InvoiceLine } from '#contract/billing/invoice-calls.ts';
import type { InvoiceDraft, Mills } from '#contract/billing/invoice.ts';
import type { BillingSettings, ServiceLevel } from '#contract/billing/service-levels.ts';
import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { QuickBooksEnvironment } from '#contract/billing/quickbooks-calls.ts';
import type { CompanyN, Day, Ms, TenantId, UserId } from '#contract/ids.ts';
import type { JsonColumn } from './json-column.ts';

/**
 * The progress of a read. `start`: the next row, from 1. `since`: reads only what changed since
 * then; null: everything. `began`: when the read started.
 */
export interface ReadCursor {
  readonly at: 'rest' | 'customers' | 'invoices' | 'missing';
  readonly start: number;
  readonly since: Ms | null;
  readonly began: Ms;
}

/**
 * A provider's app at Intuit. `generation`: increases with each set of tokens. `renewed_by`: the
 * server that renews the tokens, with a lease end. `held_by`: the lease of the job that reads;
 * `held_until` is no longer used. `poll_at`: the next read; null: no automatic read. `whole_at`: the last full read.
 */
export interface QuickBooksTable {
  tenant_id: TenantId;
  environment: QuickBooksEnvironment;
  client_id: string;
  realm_id: string | null;
  connected_at: Ms | null;
  generation: Generated<number>;
  renewed_by: string | null;
  renewed_until: Generated<Ms>;
  held_by: string | null;
  held_until: Generated<Ms>;
  poll_at: Ms | null;
  read_at: Ms | null;
  whole_at: Ms | null;
  tries: Generated<number>;
  fault: string | null;
  ended: Generated<boolean>;
  cursor: JsonColumn<ReadCursor>;
}

/** Fields of an invoice that no list query uses. */
export interface InvoiceRest {
  readonly lines: readonly InvoiceLine[];
  readonly tax: Mills | null;
  readonly note: string | null;
  readonly mailed: boolean | null;
}

export interface InvoiceTable {
  tenant_id: TenantId;
  id: string;
  customer_id: string;
  number: string;
  currency: string;
  day: Day;
  due: Day | null;
  total: Mills;
  balance: Mills;
  voided: boolean;
  row: JsonColumn<InvoiceRest>;
  changed_at: Ms;
  seen_at: Ms;
}

/**
 * `company_n`: the mapped company; `mapped_name`: its name at that time. `stands_for`: that
 * company, or the one of the parent customer.
 */
export interface InvoiceCustomerTable {
  tenant_id: TenantId;
  id: string;
  name: string;
  parent_id: string | null;
  active: boolean;
  company_n: CompanyN | null;
  mapped_name: string | null;
  stands_for: CompanyN | null;
  seen_at: Ms;
}

/** The invoice of a month as it was sent to QuickBooks; it is resent the same until there is an answer. */
export interface MonthInvoiceTable {
  tenant_id: TenantId;
  usage_id: string;
  draft: JsonColumn<InvoiceDraft>;
}

/** A provider's prices; without a row it has the defaults. */
export interface BillingSettingTable {
  tenant_id: TenantId;
  settings: JsonColumn<BillingSettings>;
}

/** `users`: who saw the company before it was deleted. `subscription`: its last one, if it ran. */
export interface CompanyRestoreTable {
  tenant_id: TenantId;
  company_n: CompanyN;
  users: JsonColumn<readonly UserId[]>;
  subscription: JsonColumn<SubscriptionRow> | null;
}

/**
 * A new customer who registers. `token_hash`, `sealed_token`: of the link, which every email repeats;
 * `password_hash`: empty until whoever holds the link sets a password; `until`: when it expires.
 */
export interface SignUpTable {
  tenant_id: TenantId;
  id: string;
  email_key: string;
  email: string;
  name: string;
  company: string;
  level: ServiceLevel;
  password_hash: string;
  token_hash: string;
  sealed_token: string | null;
  made_at: Ms;
  verified_at: Ms | null;
  captcha_at: Ms | null;
  session_id: string | null;
  ready_at: Ms | null;
  until: Ms;
  /** The company that it created. */
  company_n: Generated<CompanyN | null>;
}

/**
 * What Stripe calls a company. `metered_day`: the last day that its meter knows. `collected_from`: the
 * first month whose amount is collected, or its first day that is; null: the subscription still has a
 * price of Stripe's own.
 */
export interface StripeCustomerTable {
  tenant_id: TenantId;
  company_n: CompanyN;
  customer_id: string;
  subscription_id: string | null;
  ended_at: Ms | null;
  metered_day: number | null;
  collected_from: Generated<string | null>;
  /** Reads of the subscription that were begun, and the newest that was applied. */
  read_n: Generated<number>;
  applied_n: Generated<number>;
  read_at: Generated<Ms>;
}
export interface StripeEventTable {
  tenant_id: TenantId;
  id: string;
  at: Ms;
}
/** A write to Stripe whose answer isn't certain yet (BILL-11). */
export interface StripeWriteTable {
  tenant_id: TenantId;
  what: string;
  body_hash: string;
  key: string;
  made_at: Ms;
}
/**
 * Which company opened a page of Stripe. `subscription_id`: the subscription of ours that is paid on it;
 * null: it saves a card. `linked_at`: when Stripe's subscription became the one that pays it.
 */
export interface StripeCheckoutTable {
  tenant_id: TenantId;
  id: string;
  company_n: CompanyN;
  at: Ms;
  subscription_id: Generated<string | null>;
  linked_at: Generated<Ms | null>;
}
/**
 * A month whose invoice is being created at Stripe. `invoice_id`: its draft there, once it is known.
 * `error`: why it isn't collected; the cents are those of a draft that differs, without and with tax.
 */
export interface StripeInvoiceTable {
  tenant_id: TenantId;
  usage_id: string;
  invoice_id: string | null;
  at: Ms;
  error: Generated<'differs' | 'refused' | 'unauthorized' | null>;
  net_cents: Generated<number | null>;
  total_cents: Generated<number | null>;
}
