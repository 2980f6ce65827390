import type { ColumnType, Generated } from 'kysely';
import type { Branding } from '#contract/brand/branding.ts';
import type { Actor } from '#contract/events.ts';
import type { Tables } from '#contract/fold.ts';
import type { Task } from '#contract/monitoring/task.ts';
import type { Bytes, CauseN, CommandId, CompanyN, Day, DeviceId, JobN, KeyId, Ms, ProblemN, RunN, TenantId, UserId } from '#contract/ids.ts';

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
  problem: Projection<ProblemN, 'problem'> & { job_n: JobN; company_n: CompanyN; cause_n: CauseN; last_at: Ms; closed_at: Ms | null };
  computer: ProjectionById<'computer'> & { key_id: KeyId; company_n: CompanyN; seen_at: Ms };
  repository: ProjectionById<'repository'> & { key_id: KeyId; company_n: CompanyN };
  view: ProjectionById<'view'>;
  shift: ProjectionById<'shift'> & { received_at: Ms };
  preference: ProjectionById<'preference'> & { user_id: UserId };
  repository_sample: RepositorySampleTable;
  run_day: RunDayTable;
  run_log: { tenant_id: TenantId; run_n: RunN; body: string };
  run_task: { tenant_id: TenantId; run_n: RunN; tasks: Json<readonly Task[]> };
  person: PersonTable;
  session: SessionTable;
  trusted_device: TrustedDeviceTable;
  throttle: ThrottleTable;
  source_health: SourceHealthTable;
  quarantine: { tenant_id: TenantId; seq: number; reason: string; at: Ms };

  migration: { name: string; at: Ms };
  /** Every provider there is; at most one is the default, for hosts that nobody has named. */
  tenant_list: { tenant_id: TenantId; is_default: boolean };
  provider_host: { host: string; tenant_id: TenantId };
  /** SHA-256 (hex) of an ingest key, and whose it is. */
  key_index: { hash: string; tenant_id: TenantId; key_id: KeyId };
  server_setting: { name: string; value: string };
}

type Json<T> = ColumnType<T, string, string>;
type Row<T extends keyof Tables> = { tenant_id: TenantId; row: Json<Tables[T]> };
type Projection<N extends number, T extends keyof Tables> = Row<T> & { n: N };
type ProjectionById<T extends keyof Tables> = Row<T> & { id: string };

export interface ProviderTable { tenant_id: TenantId; branding: Json<Branding> }

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
}

/** Failures that are held against somebody, until when nothing more is looked at, and when all of it is forgotten (null: never). */
export interface ThrottleTable { tenant_id: TenantId; bucket: string; failures: number; until: Ms; at: Ms; forget_at: Ms | null }

export interface SourceHealthTable {
  tenant_id: TenantId;
  key_id: KeyId;
  last_heard_at: Ms | null;
  last_fault_at: Ms | null;
  last_fault: string | null;
}
