import type { Migration } from './migration.ts';

/** Names the end of a hash chain that began before the head row had it. */
export const NAME_CHAIN_ENDS = `update head as h set sealed_seq = l.seq, sealed_hash = l.hash
  from (select distinct on (tenant_id) tenant_id, seq, hash from log_hash order by tenant_id, seq desc) as l
  where l.tenant_id = h.tenant_id and h.sealed_seq = 0`;

const TABLES = ['head', 'log_hash'];

/**
 * The end of each provider's hash chain, beside the chain: without it, a chain that lost its end looks
 * whole. Forced policies also bind the tables' owner, so they are lifted for the statement.
 */
export const migration0102: Migration = {
  name: '0102',
  statements: [
    `alter table head add column sealed_seq bigint not null default 0, add column sealed_hash text not null default ''`,
    ...TABLES.map((table) => `alter table ${table} no force row level security`),
    NAME_CHAIN_ENDS,
    ...TABLES.map((table) => `alter table ${table} force row level security`),
  ],
};
