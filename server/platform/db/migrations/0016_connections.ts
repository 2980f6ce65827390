import { owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null';

/**
 * Connected systems (COLLECT-1): their settings and sign-in, how far each of their entities was
 * read, and collected data other than results: companies, servers, agents, jobs, alarms, licenses.
 */
export const migration0016: Migration = {
  name: '0016',
  statements: [
    ...owned(
      'connection',
      `${t}, id uuid not null, kind text not null, name text not null, address text not null, company_n bigint, sign_in text not null, username text, sealed text not null,
      certificate text, every_sec bigint not null, enabled boolean not null, made_at bigint not null, changed_at bigint not null, held_by text, held_until bigint not null default 0, primary key (tenant_id, id)`,
    ),
    ...owned(
      'collection',
      `${t}, connection_id uuid not null, entity text not null, status text not null, started_at bigint, succeeded_at bigint, next_at bigint not null, read_rows bigint not null default 0,
      unlinked bigint not null default 0, fails bigint not null default 0, error text, error_at bigint, cursor json not null, primary key (tenant_id, connection_id, entity)`,
    ),
    ...owned(
      'collected',
      `${t}, connection_id uuid not null, entity text not null, uid text not null, company_n bigint, name text not null, row json not null, seen_at bigint not null,
      primary key (tenant_id, connection_id, entity, uid)`,
    ),
  ],
};
