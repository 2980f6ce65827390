import type { Generated } from 'kysely';
import type { Notification } from '#contract/notifications/notices.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import type { Actor } from '#contract/events.ts';
import type { SlaRow } from '#contract/sla/sla.ts';
import type { Task } from '#contract/runs/task.ts';
import type {
  Bytes,
  CauseN,
  CommandId,
  CompanyN,
  Day,
  DeviceId,
  JobN,
  KeyId,
  Ms,
  ProblemN,
  RunN,
  TenantId,
  UserId,
} from '#contract/ids.ts';
import type {
  ApiKeyTable,
  AttemptTable,
  AuditTable,
  OneTimeTable,
  OutgoingTable,
  PasskeyTable,
  PersonTable,
  SessionTable,
  ThrottleTable,
  TrustedDeviceTable,
} from './database-account.ts';
import type {
  BillingSettingTable,
  CompanyRestoreTable,
  MonthInvoiceTable,
  InvoiceCustomerTable,
  InvoiceTable,
  QuickBooksTable,
  SignUpTable,
  StripeCheckoutTable,
  StripeInvoiceTable,
  StripeCustomerTable,
  StripeEventTable,
  StripeWriteTable,
} from './database-billing.ts';
import type {
  CollectedTable,
  CollectionTable,
  ConnectionTable,
  IngestUsageTable,
  LicenceMonthTable,
} from './database-collect.ts';
import type { SupportRequestTable, TicketWorkTable, TicketingTable } from './database-tickets.ts';
import type {
  NotifySeenTable,
  NotifySettingTable,
  NotifyStateTable,
  PushDeviceTable,
  PushWaitingTable,
  WebhookDeliveryTable,
  WebhookTable,
} from './database-notify.ts';
import type { StoredFileTable, ReportSentTable, ReportSettingTable } from './database-reports.ts';
import type { BackupTables } from './database-backup.ts';
import type { EngineTables } from './database-engine.ts';
import type { Vb365Tables } from './database-vb365.ts';
import type { BackgroundJobTable, ProxyMemberTable, ProxyProcessTable } from './database-jobs.ts';
import type { JsonColumn, Filled } from './json-column.ts';
import type { ProjectedTables } from './projected-tables.ts';

/**
 * The tables. Those of the fold's rows come from `contract/tables.ts`. `bigint` columns are numbers
 * here; `jsonb` is read parsed and written as JSON text (`pg` turns a bare array into an array
 * literal). Every table except the last six has `tenant_id` first in its key and a forced row-level
 * policy.
 */
export interface Database extends ProjectedTables, EngineTables, Vb365Tables, BackupTables {
  provider: ProviderTable;
  head: HeadTable;
  event: EventTable;
  log_hash: { tenant_id: TenantId; seq: number; hash: string };
  log_cut: LogCutTable;
  command: CommandTable;
  licence_month: LicenceMonthTable;
  quickbooks: QuickBooksTable;
  invoice: InvoiceTable;
  invoice_customer: InvoiceCustomerTable;
  billing_setting: BillingSettingTable;
  company_restore: CompanyRestoreTable;
  month_invoice: MonthInvoiceTable;
  sign_up: SignUpTable;
  stripe_customer: StripeCustomerTable;
  stripe_event: StripeEventTable;
  stripe_write: StripeWriteTable;
  stripe_checkout: StripeCheckoutTable;
  stripe_invoice: StripeInvoiceTable;
  sla_alarm: {
    tenant_id: TenantId;
    id: string;
    row: JsonColumn<SlaRow>;
    broken_since: Ms | null;
    fired_at: Ms | null;
  };
  ticketing: TicketingTable;
  ticket_company: {
    tenant_id: TenantId;
    company_n: CompanyN;
    remote_id: string;
    remote_name: string;
    health: 'ok' | 'renamed' | 'missing';
    checked_at: Ms | null;
  };
  ticket_work: TicketWorkTable;
  support_request: SupportRequestTable;
  repository_sample: RepositorySampleTable;
  run_day: RunDayTable;
  /** The last event of each company that changed the kind of a job (SYNC-11). */
  job_kind: { tenant_id: TenantId; company_n: CompanyN; seq: number };
  run_log: { tenant_id: TenantId; run_n: RunN; body: string };
  run_task: { tenant_id: TenantId; run_n: RunN; tasks: JsonColumn<readonly Task[]> };
  person: PersonTable;
  session: SessionTable;
  trusted_device: TrustedDeviceTable;
  throttle: ThrottleTable;
  source_health: SourceHealthTable;
  ingest_usage: IngestUsageTable;
  connection: ConnectionTable;
  collection: CollectionTable;
  collected: CollectedTable;
  api_key: ApiKeyTable;
  attempt: AttemptTable;
  totp: {
    tenant_id: TenantId;
    user_id: UserId;
    sealed: string;
    confirmed_at: Ms | null;
    last_step: number;
  };
  recovery_code: { tenant_id: TenantId; user_id: UserId; hash: string; used_at: Ms | null };
  passkey: PasskeyTable;
  identity: { tenant_id: TenantId; issuer: string; subject: string; user_id: UserId; made_at: Ms };
  security_answer: { tenant_id: TenantId; user_id: UserId; question: string; hash: string };
  one_time: OneTimeTable;
  audit: AuditTable;
  outgoing: OutgoingTable;
  secret: { tenant_id: TenantId; name: string; sealed: string; at: Ms };
  notification: {
    tenant_id: TenantId;
    id: string;
    row: JsonColumn<Notification>;
    made_at: Ms;
    ended_at: Ms | null;
  };
  notification_ack: { tenant_id: TenantId; notification_id: string; user_id: UserId; at: Ms };
  brand_asset: {
    tenant_id: TenantId;
    name: string;
    type: string;
    base64: string;
    hash: string;
    at: Ms;
  };
  notify_setting: NotifySettingTable;
  notify_seen: NotifySeenTable;
  backup_runs_seen: { tenant_id: TenantId; log_seq: number };
  notify_standing: NotifyStateTable;
  push_device: PushDeviceTable;
  push_waiting: PushWaitingTable;
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
  quarantine: { tenant_id: TenantId; seq: number; reason: string; at: Ms };

  report_setting: ReportSettingTable;
  report_sent: ReportSentTable;
  kept_file: StoredFileTable;

  migration: { name: string; timestamp: string };
  /** All providers. At most one is the default, for hosts that no provider claims. */
  tenant_list: { tenant_id: TenantId; is_default: boolean; master_id: Generated<TenantId | null> };
  provider_host: { host: string; tenant_id: TenantId };
  /** SHA-256 (hex) of an ingest key, and its owner. */
  key_index: { hash: string; tenant_id: TenantId; key_id: KeyId };
  server_setting: { name: string; value: string };
  background_job: BackgroundJobTable;
  proxy_process: ProxyProcessTable;
  proxy_member: ProxyMemberTable;
}

/**
 * `settings`: the provider's settings, except those that the sign-in page needs. Secrets are in
 * `secret`.
 */
export interface ProviderTable {
  tenant_id: TenantId;
  branding: JsonColumn<Branding>;
  settings: Filled<ProviderSettings>;
}

/**
 * `next_…` is the next free number of its kind. `seq` is the number of the last event; 0 before the
 * first.
 */
/**
 * `sealed_seq`, `sealed_hash`: the last event that the hash chain covers, and its hash; 0 and empty
 * for a log that is older than the chain. `checked_at`: when the server last checked the log against
 * the chain, and then found this many `damaged_parts`. `cut_seq`: the last archived event; the log in
 * the database begins after it. 0: nothing is archived.
 */
export interface HeadTable {
  tenant_id: TenantId;
  seq: Generated<number>;
  epoch: Generated<string>;
  next_company: Generated<CompanyN>;
  next_job: Generated<JobN>;
  next_run: Generated<RunN>;
  next_problem: Generated<ProblemN>;
  next_cause: Generated<CauseN>;
  sealed_seq: Generated<number>;
  sealed_hash: Generated<string>;
  checked_at: Ms | null;
  damaged_parts: Generated<number>;
  cut_seq: Generated<number>;
}

/**
 * The events `first_seq` to `seq` are in a file of the archive, whose sum this is. `hash`: the chain's at
 * their end.
 */
export interface LogCutTable {
  tenant_id: TenantId;
  seq: number;
  first_seq: number;
  hash: string;
  newest_at: Ms;
  sha256: string;
  bytes: number;
}

export interface EventTable {
  tenant_id: TenantId;
  seq: number;
  type: string;
  at: Ms;
  actor: JsonColumn<Actor>;
  subject: UserId | null;
  company: CompanyN | null;
  entity: string;
  command_id: CommandId | null;
  data: JsonColumn<unknown>;
}

/**
 * The stored answer to a device's command, for when it is sent again. `n` is its number in the
 * device's order.
 */
export interface CommandTable {
  tenant_id: TenantId;
  device: DeviceId;
  id: CommandId;
  n: number;
  user_id: UserId;
  body_hash: string;
  status: number;
  answer: JsonColumn<unknown>;
  at: Ms;
}

export interface RepositorySampleTable {
  tenant_id: TenantId;
  repository_id: string;
  at: Ms;
  capacity: Bytes | null;
  free: Bytes | null;
  used: Bytes | null;
}

/** How many runs started on a UTC day, and the last event that changed one of them. */
export interface RunDayTable {
  tenant_id: TenantId;
  day: Day;
  rows: number;
  seq: number;
}

export interface SourceHealthTable {
  tenant_id: TenantId;
  key_id: KeyId;
  last_heard_at: Ms | null;
  last_fault_at: Ms | null;
  last_fault: string | null;
}
