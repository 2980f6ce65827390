import { APP_ROLE, type Migration, owned } from './migration.ts';

/**
 * Which parts of each provider's log are in the archive, the number of the last archived event, and the
 * job that archives. The log stays append-only: the server can't change events, and deletes only those up to the
 * number that it names in the same transaction.
 */
export const migration0118: Migration = {
  name: '0118',
  statements: [
    'alter table head add column cut_seq bigint not null default 0',
    ...owned(
      'log_cut',
      `tenant_id uuid not null, seq bigint not null, first_seq bigint not null, hash text not null, newest_at bigint not null,
      sha256 text not null, bytes bigint not null, primary key (tenant_id, seq)`,
    ),
    `revoke update, delete, truncate on log_cut from ${APP_ROLE}`,
    ...['event', 'log_hash'].flatMap((table) => [
      `create policy archived on ${table} as restrictive for delete to ${APP_ROLE}
        using (seq <= nullif(current_setting('app.cut_seq', true), '')::bigint)`,
      `grant delete on ${table} to ${APP_ROLE}`,
    ]),
    `insert into background_job (tenant_id, type, key, due_at, payload)
      select tenant_id, 'log-archive', '', 0, 'null' from tenant_list on conflict do nothing`,
  ],
};
