import { owned, type Migration, unowned } from './migration.ts';

const t = 'tenant_id uuid not null';

/**
 * The first schema, in SQL of PostgreSQL 15. Rows and event data are `json`, not `jsonb`: queries
 * use only the columns beside them, and storing them as text took 60 % of the time of an append.
 */
export const migration0001: Migration = {
  name: '0001',
  statements: [
    ...owned('provider', `${t} primary key, branding jsonb not null`),
    ...owned(
      'head',
      `${t} primary key, seq bigint not null default 0, epoch text not null default gen_random_uuid()::text,
      next_company bigint not null default 1, next_job bigint not null default 1, next_run bigint not null default 1,
      next_problem bigint not null default 1, next_cause bigint not null default 1`,
      'fillfactor = 20',
    ),
    ...owned(
      'event',
      `${t}, seq bigint not null, type text not null, at bigint not null, actor jsonb not null, subject text, company int,
      entity text not null, command_id text, data json not null, primary key (tenant_id, seq)`,
    ),
    'create index event_entity on event (tenant_id, entity, seq)',
    // LOG-4: events are append-only
    'revoke update, delete, truncate on event from daybook_app',
    ...owned(
      'command',
      `${t}, device text not null, id uuid not null, n bigint not null, user_id uuid not null, body_hash text not null,
      status int not null, answer jsonb not null, at bigint not null, primary key (tenant_id, id), unique (tenant_id, device, n)`,
    ),

    ...owned('company', `${t}, n bigint not null, row json not null, primary key (tenant_id, n)`),
    ...owned('app_user', `${t}, id text not null, row json not null, primary key (tenant_id, id)`),
    ...owned(
      'source_key',
      `${t}, id text not null, company_n bigint not null, row json not null, primary key (tenant_id, id)`,
    ),
    ...owned(
      'job',
      `${t}, n bigint not null, key_id text not null, uid text not null, company_n bigint not null, row json not null,
      primary key (tenant_id, n), unique (tenant_id, key_id, uid)`,
      'fillfactor = 80',
    ),
    'create index job_company on job (tenant_id, company_n)',
    ...owned(
      'stat',
      `${t}, n bigint not null, row json not null, primary key (tenant_id, n)`,
      'fillfactor = 50',
    ),
    ...owned(
      'run',
      `${t}, n bigint not null, key_id text not null, uid text not null, job_n bigint not null, company_n bigint not null,
      started_at bigint not null, status text not null, problem_n bigint, seq bigint not null, row json not null,
      primary key (tenant_id, n), unique (tenant_id, key_id, uid)`,
    ),
    'create index run_newest on run (tenant_id, started_at desc, n desc)',
    'create index run_of_job on run (tenant_id, job_n, started_at desc)',
    "create index run_running on run (tenant_id, started_at) where status = 'Running'",
    ...owned(
      'cause',
      `${t}, n bigint not null, kind text not null, template text not null, row json not null,
      primary key (tenant_id, n), unique (tenant_id, kind, template)`,
    ),
    ...owned(
      'problem',
      `${t}, n bigint not null, job_n bigint not null, company_n bigint not null, cause_n bigint not null,
      last_at bigint not null, closed_at bigint, row json not null, primary key (tenant_id, n)`,
    ),
    'create index problem_open on problem (tenant_id, company_n, last_at desc) where closed_at is null',
    'create index problem_of_job on problem (tenant_id, job_n)',
    ...owned(
      'computer',
      `${t}, id text not null, key_id text not null, company_n bigint not null, seen_at bigint not null, row json not null,
      primary key (tenant_id, id)`,
    ),
    ...owned(
      'repository',
      `${t}, id text not null, key_id text not null, company_n bigint not null, row json not null,
      primary key (tenant_id, id)`,
    ),
    ...owned(
      'repository_sample',
      `${t}, repository_id text not null, at bigint not null, capacity bigint, free bigint, used bigint,
      primary key (tenant_id, repository_id, at)`,
    ),
    ...owned(
      'run_day',
      `${t}, day text not null, rows bigint not null, seq bigint not null, primary key (tenant_id, day)`,
    ),
    ...owned(
      'run_log',
      `${t}, run_n bigint not null, body text not null, primary key (tenant_id, run_n)`,
    ),
    ...owned(
      'quarantine',
      `${t}, seq bigint not null, reason text not null, at bigint not null, primary key (tenant_id, seq)`,
    ),

    ...owned(
      'person',
      `${t}, id uuid not null, username text not null, username_key text not null, name text not null, email text,
      password_hash text, primary key (tenant_id, id), unique (tenant_id, username_key)`,
    ),
    ...owned(
      'session',
      `${t}, id uuid not null, user_id uuid not null, access_hash text not null, access_until bigint not null,
      refresh_hash text not null, previous_refresh_hash text, rotated_at bigint not null, idle_until bigint not null,
      absolute_until bigint not null, made_at bigint not null, ended_at bigint, ip text not null, agent text not null,
      primary key (tenant_id, id)`,
    ),
    'create index session_access on session (tenant_id, access_hash)',
    'create index session_refresh on session (tenant_id, refresh_hash)',
    'create index session_previous on session (tenant_id, previous_refresh_hash)',
    'create index session_of_user on session (tenant_id, user_id)',
    ...owned(
      'throttle',
      `${t}, bucket text not null, failures int not null, until bigint not null, at bigint not null,
      primary key (tenant_id, bucket)`,
    ),
    ...owned(
      'source_health',
      `${t}, key_id text not null, last_heard_at bigint, last_fault_at bigint, last_fault text,
      primary key (tenant_id, key_id)`,
    ),

    ...unowned('tenant_list', 'tenant_id uuid primary key, is_default boolean not null'),
    'create unique index tenant_default on tenant_list (is_default) where is_default',
    ...unowned('provider_host', 'host text primary key, tenant_id uuid not null'),
    ...unowned('key_index', 'hash text primary key, tenant_id uuid not null, key_id text not null'),
    'create index key_index_key on key_index (tenant_id, key_id)',
    ...unowned('server_setting', 'name text primary key, value text not null'),
  ],
};
