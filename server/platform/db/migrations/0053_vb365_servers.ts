import { owned, type Migration } from './migration.ts';

/**
 * Servers of Veeam Backup for Microsoft 365 from which organizations were imported. `sealed`: the
 * password. `problem`: why it was not read the last time. Of `vb365_organization` and `vb365_object`
 * (jobs and repositories), `server_key` is the id on the server; `commanded_at`: when a user last changed it there.
 */
export const migration0053: Migration = {
  name: '0053',
  statements: [
    ...owned(
      'vb365_server',
      'tenant_id uuid not null, id uuid not null, address text not null, certificate text, username text not null, sealed text not null, version text, made_at bigint not null, changed_at bigint not null, read_at bigint, failures integer not null default 0, problem text, primary key (tenant_id, id)',
    ),
    ...owned(
      'vb365_organization',
      'tenant_id uuid not null, organization_id uuid not null, server_id uuid not null, server_key text not null, primary key (tenant_id, organization_id)',
    ),
    'create index vb365_organization_server on vb365_organization (tenant_id, server_id, server_key)',
    ...owned(
      'vb365_object',
      "tenant_id uuid not null, organization_id uuid not null, kind text not null, id uuid not null, server_key text not null, detail jsonb not null default '{}', commanded_at bigint not null default 0, primary key (tenant_id, id)",
    ),
    'create unique index vb365_object_key on vb365_object (tenant_id, organization_id, kind, server_key)',
  ],
};
