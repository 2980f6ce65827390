/**
 * One migration. It runs once, in one transaction, as the owner of the tables. Each entry is one
 * statement.
 */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** The role for everything except migrations. It owns nothing and can't bypass a policy. */
export const APP_ROLE = 'daybook_app';

/** Tables that no tenant owns, with the reason. */
export const UNOWNED = {
  migration: 'which steps the tables have gone through; belongs to the database as a whole',
  migration_lock: 'keeps two servers from changing the tables at once; a table of the migrator',
  tenant_list:
    'which providers there are and which is the default one: read before a provider is known',
  provider_host: 'whose portal an address is: this is how the provider of a request is found',
  key_index:
    'whose an ingest key is: this is how the provider of a posted result is found; holds hashes only',
  server_setting: 'settings of the server as a whole',
  background_job:
    'which work is due: the runner takes the due jobs of all providers with one query; holds ids, names of proxies, times and the text of the last failure',
  proxy_process: 'which proxies run: they work for all providers',
  proxy_member:
    'the pool of each proxy at each provider and whether it takes work: the runner takes the due jobs of all providers with one query',
  shared_count:
    'how often callers near a limit have called each server: counted before a provider is known; holds hashes and counts only',
} as const satisfies Readonly<Record<string, string>>;

/**
 * The condition of policies: the row belongs to the tenant that is set, if one is. It has no subquery:
 * Citus refuses them.
 */
export const IS_OWN_ROW = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

/**
 * Returns the statements for a table whose rows belong to a tenant. Restrict its policy only by others
 * in its place, never by one `as restrictive`: Citus makes it permissive.
 */
export function owned(table: string, columns: string, storage = ''): string[] {
  return [
    `create table ${table} (${columns})${storage === '' ? '' : ` with (${storage})`}`,
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy tenant on ${table} for all using (${IS_OWN_ROW}) with check (${IS_OWN_ROW})`,
    `grant select, insert, update, delete on ${table} to ${APP_ROLE}`,
  ];
}

export const unowned = (table: keyof typeof UNOWNED, columns: string): string[] => [
  `create table ${table} (${columns})`,
  `grant select, insert, update, delete on ${table} to ${APP_ROLE}`,
];
