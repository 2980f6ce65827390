import type { ColumnType, Generated } from 'kysely';
import type { PersonSettings } from '#contract/account/profile.ts';
import type { Notification } from '#contract/account/notifications.ts';
import type { Branding } from '#contract/brand/branding.ts';
import type { ProviderSettings } from '#contract/brand/settings.ts';
import type { Actor } from '#contract/events.ts';
import type { Tables } from '#contract/fold.ts';
import type { CollectionStatus, CollectorKind, Entity, SignIn } from '#contract/monitoring/collector.ts';
import type { Choices, TicketPart, Ticketing } from '#contract/desk/ticketing.ts';
import type { Task } from '#contract/monitoring/task.ts';
import type { Bytes, CauseN, CommandId, CompanyN, Day, DeviceId, JobN, KeyId, Ms, ProblemN, RunN, TenantId, UserId } from '#contract/ids.ts';
import type { KeptFileTable, ReportSentTable, ReportSettingTable } from './database-reports.ts';

/**
 * The tables. `bigint` is a number here, `jsonb` is read parsed and written as JSON text (a bare array means something else to `pg`).
 * Every table but the last five begins its key with `tenant_id` and stands under a forced policy.
 */
export interface Database {
  provider: ProviderTable;
  head: HeadTable;
  event: EventTable;
  command: CommandTable;
  company: Projection<number, 'company'>;
  /** `user` is a reserved word. */
  app_user: ProjectionById<'user'>;
  source_key: ProjectionById<'key'> & { company_n: CompanyN };
  job: Projection<JobN, 'job'> & { key_id: KeyId; uid: string; company_n: CompanyN };
  stat: Projection<JobN, 'stat'>;
  run: Projection<RunN, 'run'> & {
    key_id: KeyId; uid: string; job_n: JobN; company_n: CompanyN; started_at: Ms; status: string; problem_n: ProblemN | null;
    /** The last event that changed it. */
    seq: number;
  };
  cause: Projection<CauseN, 'cause'> & { kind: string; template: string };
  problem: Projection<ProblemN, 'problem'> & { job_n: JobN; company_n: CompanyN; cause_n: CauseN; last_at: Ms; closed_at: Ms | null; ticket_id: string | null };
  computer: ProjectionById<'computer'> & { key_id: KeyId; company_n: CompanyN; seen_at: Ms };
  repository: ProjectionById<'repository'> & { key_id: KeyId; company_n: CompanyN };
  view: ProjectionById<'view'>;
  hint: ProjectionById<'hint'>;
  result_rule: ProjectionById<'rule'>;
  shift: ProjectionById<'shift'> & { received_at: Ms };
  preference: ProjectionById<'preference'> & { user_id: UserId };
  /** `open`: 1, 0 where it is closed, -1 where it was deleted. */
  ticket: ProjectionById<'ticket'> & { company_n: CompanyN; number: number; open: number; made_at: Ms; remote_id: string | null };
  ticketing: TicketingTable;
  ticket_company: { tenant_id: TenantId; company_n: CompanyN; remote_id: string; remote_name: string; health: 'ok' | 'renamed' | 'missing'; checked_at: Ms | null };
  ticket_work: TicketWorkTable;
  repository_sample: RepositorySampleTable;
  run_day: RunDayTable;
  run_log: { tenant_id: TenantId; run_n: RunN; body: string };
  run_task: { tenant_id: TenantId; run_n: RunN; tasks: Json<readonly Task[]> };
  person: PersonTable;
  session: SessionTable;
  trusted_device: TrustedDeviceTable;
  throttle: ThrottleTable;
  source_health: SourceHealthTable;
  connection: ConnectionTable;
  collection: CollectionTable;
  collected: CollectedTable;
  attempt: AttemptTable;
  totp: { tenant_id: TenantId; user_id: UserId; sealed: string; confirmed_at: Ms | null; last_step: number };
  recovery_code: { tenant_id: TenantId; user_id: UserId; hash: string; used_at: Ms | null };
  passkey: PasskeyTable;
  identity: { tenant_id: TenantId; issuer: string; subject: string; user_id: UserId; made_at: Ms };
  security_answer: { tenant_id: TenantId; user_id: UserId; question: string; hash: string };
  one_time: OneTimeTable;
  audit: AuditTable;
  outgoing: OutgoingTable;
  secret: { tenant_id: TenantId; name: string; sealed: string; at: Ms };
  notification: { tenant_id: TenantId; id: string; row: Json<Notification>; made_at: Ms; ended_at: Ms | null };
  notification_ack: { tenant_id: TenantId; notification_id: string; user_id: UserId; at: Ms };
  brand_asset: { tenant_id: TenantId; name: string; type: string; base64: string; hash: string; at: Ms };
  quarantine: { tenant_id: TenantId; seq: number; reason: string; at: Ms };

  report_setting: ReportSettingTable;
  report_sent: ReportSentTable;
  kept_file: KeptFileTable;

  migration: { name: string; at: Ms };
  /** Every provider there is; at most one is the default, for hosts that nobody has named. */
  tenant_list: { tenant_id: TenantId; is_default: boolean; master_id: Generated<TenantId | null> };
  provider_host: { host: string; tenant_id: TenantId };
  /** SHA-256 (hex) of an ingest key, and whose it is. */
  key_index: { hash: string; tenant_id: TenantId; key_id: KeyId };
  server_setting: { name: string; value: string };
}

type Json<T> = ColumnType<T, string, string>;
/** `{}` where nothing is given. */
type Filled<T> = ColumnType<T, string | undefined, string>;
type Row<T extends keyof Tables> = { tenant_id: TenantId; row: Json<Tables[T]> };
type Projection<N extends number, T extends keyof Tables> = Row<T> & { n: N };
type ProjectionById<T extends keyof Tables> = Row<T> & { id: string };

/** `settings`: what the provider chose and the page before signing in need not know. Secrets stand in `secret`. */
export interface ProviderTable { tenant_id: TenantId; branding: Json<Branding>; settings: Filled<ProviderSettings> }

/** `next_…` is the number that the next of its kind gets. `seq` is the last event's number, 0 before the first. */
export interface HeadTable {
  tenant_id: TenantId;
  seq: Generated<number>;
  epoch: Generated<string>;
  next_company: Generated<CompanyN>;
  next_job: Generated<JobN>;
  next_run: Generated<RunN>;
  next_problem: Generated<ProblemN>;
  next_cause: Generated<CauseN>;
}

export interface EventTable {
  tenant_id: TenantId;
  seq: number;
  type: string;
  at: Ms;
  actor: Json<Actor>;
  subject: UserId | null;
  company: CompanyN | null;
  entity: string;
  command_id: CommandId | null;
  data: Json<unknown>;
}

/** What was answered to a command of a device, for the day it is sent again. `n` is its number in the device's order. */
export interface CommandTable {
  tenant_id: TenantId;
  device: DeviceId;
  id: CommandId;
  n: number;
  user_id: UserId;
  body_hash: string;
  status: number;
  answer: Json<unknown>;
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

/** How many runs started on a UTC day, and the last event that touched one of them. */
export interface RunDayTable { tenant_id: TenantId; day: Day; rows: number; seq: number }

/** Names and secrets of a user: outside the log, so that they can be deleted. `username_key` is the lower-cased name, unique in a tenant. */
export interface PersonTable {
  tenant_id: TenantId;
  id: UserId;
  username: string;
  username_key: string;
  name: string;
  email: string | null;
  password_hash: string | null;
  auth: Generated<'db' | 'ad'>;
  mobile_phone: Generated<string | null>;
  office_phone: Generated<string | null>;
  /** The next thing to do after signing in is to choose a new password, and to choose questions. */
  password_reset: Generated<boolean>;
  force_questions: Generated<boolean>;
  phone_updated_once: Generated<boolean>;
  language: Generated<string | null>;
  time_zone: Generated<string | null>;
  terms_at: Generated<Ms | null>;
  password_at: Generated<Ms | null>;
  settings: Filled<PersonSettings>;
}

/** Tokens stand as SHA-256 only. */
export interface SessionTable {
  tenant_id: TenantId;
  id: string;
  user_id: UserId;
  access_hash: string;
  access_until: Ms;
  refresh_hash: string;
  previous_refresh_hash: string | null;
  rotated_at: Ms;
  idle_until: Ms;
  absolute_until: Ms;
  made_at: Ms;
  ended_at: Ms | null;
  ip: string;
  agent: string;
  /** Who acts as the user of this session, since which session, why; null: the user. */
  actor_id: Generated<UserId | null>;
  impersonation_id: Generated<string | null>;
  reason: Generated<string | null>;
  parent_id: Generated<string | null>;
  /** The actor's provider and name, where that is a provider above. */
  actor_tenant: Generated<TenantId | null>;
  actor_name: Generated<string | null>;
  /** When a factor was last shown. */
  authenticated_at: Generated<Ms>;
  how: Generated<string>;
}

/** Something that takes several steps before anybody is signed in. `state` holds no secret; the code stands hashed. */
export interface AttemptTable {
  tenant_id: TenantId;
  id: string;
  kind: string;
  user_id: UserId | null;
  secret_hash: string;
  state: Json<Readonly<Record<string, unknown>>>;
  code_hash: string | null;
  code_until: Ms | null;
  tries: Generated<number>;
  sends: Generated<number>;
  made_at: Ms;
  until: Ms;
  done_at: Ms | null;
}

/** `id` is the credential's, base64url, as is the key. */
export interface PasskeyTable {
  tenant_id: TenantId;
  id: string;
  user_id: UserId;
  public_key: string;
  counter: number;
  transports: Json<readonly string[]>;
  name: string;
  made_at: Ms;
  used_at: Ms | null;
}

/** What is good for one use: a link, a token. `hash`: SHA-256 (hex) of the secret. */
export interface OneTimeTable {
  tenant_id: TenantId;
  hash: string;
  kind: string;
  user_id: UserId | null;
  data: Json<Readonly<Record<string, unknown>>>;
  made_at: Ms;
  until: Ms;
  used_at: Ms | null;
}

/** The record of accounts. `user_id`: whom it concerns. */
export interface AuditTable {
  tenant_id: TenantId;
  at: Ms;
  id: string;
  what: string;
  user_id: UserId | null;
  actor_id: UserId | null;
  impersonation_id: string | null;
  ip: string;
  agent: string;
  detail: Json<Readonly<Record<string, unknown>>>;
}

/** A mail or a short message. `next_at`: when it is tried next; null where it was sent, given up, or has nowhere to go and stays here. */
export interface OutgoingTable {
  tenant_id: TenantId;
  id: string;
  kind: 'mail' | 'sms';
  sealed: string;
  made_at: Ms;
  sent_at: Ms | null;
  tries: Generated<number>;
  next_at: Ms | null;
  fault: string | null;
}

/** A device on which this user has signed in, until when. Its token stands as SHA-256 only, and the one before as long as the new one was not used. */
export interface TrustedDeviceTable {
  tenant_id: TenantId;
  user_id: UserId;
  id: string;
  hash: string;
  previous_hash: string | null;
  used_at: Ms;
  until: Ms;
  /** Until then a code is not asked for here. */
  skips_code_until: Generated<Ms>;
}

/** Failures that are held against somebody, until when nothing more is looked at, and when all of it is forgotten (null: never). */
export interface ThrottleTable { tenant_id: TenantId; bucket: string; failures: number; until: Ms; at: Ms; forget_at: Ms | null }

/** What a provider connected. `cursor`: changes of the system are known up to then. `poll_at`: when it is asked next. `log_seq`: results are followed up to that event. */
export interface TicketingTable {
  tenant_id: TenantId;
  settings: Json<Ticketing>;
  choices: Json<Choices>;
  cursor: Ms;
  poll_at: Ms;
  polled_at: Ms | null;
  tries: Generated<number>;
  fault: string | null;
  log_seq: number;
}

/** A ticket that the system is to be told of: all of it, where it has none yet, else these parts. `held_until`: a server is at it. `next_at` null: given up until somebody changes it. */
export interface TicketWorkTable { tenant_id: TenantId; ticket_id: string; version: Generated<number>; parts: Json<readonly TicketPart[]>; tries: Generated<number>; next_at: Ms | null; held_until: Generated<Ms>; fault: string | null }

/** A system that is asked for its results. `held_by`: the server that asks it now, until when at the latest. */
export interface ConnectionTable {
  tenant_id: TenantId;
  id: string;
  kind: CollectorKind;
  name: string;
  address: string;
  company_n: CompanyN | null;
  sign_in: SignIn;
  username: string | null;
  sealed: string;
  certificate: string | null;
  every_sec: number;
  enabled: boolean;
  made_at: Ms;
  changed_at: Ms;
  held_by: Generated<string | null>;
  held_until: Generated<Ms>;
}

/** How far an entity of a connection was read. `fails`: in a row. */
export interface CollectionTable {
  tenant_id: TenantId;
  connection_id: string;
  entity: Entity;
  status: CollectionStatus;
  started_at: Ms | null;
  succeeded_at: Ms | null;
  next_at: Ms;
  read_rows: Generated<number>;
  unlinked: Generated<number>;
  fails: Generated<number>;
  error: string | null;
  error_at: Ms | null;
  cursor: Json<Readonly<Record<string, number>>>;
}

export interface CollectedTable {
  tenant_id: TenantId;
  connection_id: string;
  entity: Entity;
  uid: string;
  company_n: CompanyN | null;
  name: string;
  row: Json<Readonly<Record<string, unknown>>>;
  seen_at: Ms;
}

export interface SourceHealthTable {
  tenant_id: TenantId;
  key_id: KeyId;
  last_heard_at: Ms | null;
  last_fault_at: Ms | null;
  last_fault: string | null;
}
