import { APP_ROLE, owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null';

/**
 * Accounts: second factors, sign-in attempts, links, impersonation, outgoing mail, secrets, the
 * audit log, notifications.
 */
export const migration0007: Migration = {
  name: '0007',
  statements: [
    `alter table person add column auth text not null default 'db', add column mobile_phone text, add column office_phone text,
      add column password_reset boolean not null default false, add column force_questions boolean not null default false,
      add column phone_updated_once boolean not null default false, add column language text, add column time_zone text,
      add column terms_at bigint, add column password_at bigint, add column settings json not null default '{}'`,
    `alter table session add column actor_id uuid, add column impersonation_id uuid, add column reason text, add column parent_id uuid,
      add column authenticated_at bigint not null default 0, add column how text not null default 'password'`,
    'alter table trusted_device add column skips_code_until bigint not null default 0',
    `alter table provider add column settings json not null default '{}'`,
    'alter table tenant_list add column master_id uuid',

    ...owned(
      'attempt',
      `${t}, id uuid not null, kind text not null, user_id uuid, secret_hash text not null, state json not null,
      code_hash text, code_until bigint, tries int not null default 0, sends int not null default 0, made_at bigint not null,
      until bigint not null, done_at bigint, primary key (tenant_id, id)`,
    ),
    'create index attempt_over on attempt (tenant_id, until)',
    ...owned(
      'totp',
      `${t}, user_id uuid not null, sealed text not null, confirmed_at bigint, last_step bigint not null default 0,
      primary key (tenant_id, user_id)`,
    ),
    ...owned(
      'recovery_code',
      `${t}, user_id uuid not null, hash text not null, used_at bigint, primary key (tenant_id, user_id, hash)`,
    ),
    ...owned(
      'passkey',
      `${t}, id text not null, user_id uuid not null, public_key text not null, counter bigint not null, transports json not null,
      name text not null, made_at bigint not null, used_at bigint, primary key (tenant_id, id)`,
    ),
    'create index passkey_of_user on passkey (tenant_id, user_id)',
    ...owned(
      'security_answer',
      `${t}, user_id uuid not null, question text not null, hash text not null, primary key (tenant_id, user_id, question)`,
    ),
    ...owned(
      'one_time',
      `${t}, hash text not null, kind text not null, user_id uuid, data json not null, made_at bigint not null, until bigint not null,
      used_at bigint, primary key (tenant_id, hash)`,
    ),
    'create index one_time_over on one_time (tenant_id, until)',

    ...owned(
      'audit',
      `${t}, at bigint not null, id uuid not null, what text not null, user_id uuid, actor_id uuid, impersonation_id uuid,
      ip text not null, agent text not null, detail json not null, primary key (tenant_id, at, id)`,
    ),
    'create index audit_of_user on audit (tenant_id, user_id, at)',
    // The application can't change audit records.
    `revoke update, truncate on audit from ${APP_ROLE}`,

    ...owned(
      'outgoing',
      `${t}, id uuid not null, kind text not null, sealed text not null, made_at bigint not null, sent_at bigint,
      tries int not null default 0, next_at bigint, fault text, primary key (tenant_id, id)`,
    ),
    'create index outgoing_due on outgoing (tenant_id, next_at) where sent_at is null',
    ...owned(
      'secret',
      `${t}, name text not null, sealed text not null, at bigint not null, primary key (tenant_id, name)`,
    ),

    ...owned(
      'notification',
      `${t}, id uuid not null, row json not null, made_at bigint not null, ended_at bigint, primary key (tenant_id, id)`,
    ),
    ...owned(
      'notification_ack',
      `${t}, notification_id uuid not null, user_id uuid not null, at bigint not null,
      primary key (tenant_id, notification_id, user_id)`,
    ),
    ...owned(
      'brand_asset',
      `${t}, name text not null, type text not null, base64 text not null, hash text not null, at bigint not null,
      primary key (tenant_id, name)`,
    ),
  ],
};
