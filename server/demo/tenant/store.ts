import type { KeyObject } from 'node:crypto';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Ms } from '#contract/ids.ts';

/**
 * Everything that changes in the tenant gets the next number of one sequence (`seq`). Delta queries
 * return what has a higher number than their token.
 */
const SCHEMA = `
create table if not exists meta (key text primary key, value text not null);
create table if not exists person (
  n integer primary key, id text not null unique, upn text not null collate nocase,
  given_name text not null, surname text not null, name text not null, department text not null,
  job_title text not null, mail text, enabled integer not null, licensed integer not null,
  mailbox text not null, has_drive integer not null, content integer not null,
  created_at integer not null, removed integer not null default 0, seq integer not null);
create unique index if not exists person_upn on person (upn);
create index if not exists person_seq on person (seq);
create table if not exists team (
  n integer primary key, id text not null unique, name text not null, nickname text not null,
  kind text not null, created_at integer not null, removed integer not null default 0,
  seq integer not null);
create table if not exists deleted_group (team_id text primary key, at integer not null) without rowid;
create table if not exists member (
  team_id text not null, person_id text not null, primary key (team_id, person_id)) without rowid;
create table if not exists nested_group (
  team_id text not null, member_id text not null, primary key (team_id, member_id)) without rowid;
create table if not exists site (
  n integer primary key, id text not null unique, parent_id text, team_id text, name text not null,
  path text not null unique, created_at integer not null);
create table if not exists folder (
  n integer primary key, id text not null unique, mailbox text not null, parent_id text,
  name text not null, well_known text, hidden integer not null default 0, seq integer not null);
create index if not exists folder_mailbox on folder (mailbox, parent_id);
create table if not exists message (
  n integer primary key, mailbox text not null, folder_id text not null, id text not null unique,
  stable_id text not null unique, moves integer not null default 0, received_at integer not null,
  read integer not null, size integer not null, props text not null, mime blob,
  created_at integer not null, changed_at integer not null, seq integer not null,
  entered_seq integer not null);
create index if not exists message_folder on message (folder_id, seq);
create index if not exists message_received on message (folder_id, received_at);
create table if not exists attachment (
  n integer primary key, message_n integer not null, id text not null unique, name text not null,
  type text not null, inline integer not null, content_id text, size integer not null,
  content text, bytes blob, changed_at integer not null);
create index if not exists attachment_message on attachment (message_n);
create table if not exists departure (
  scope text not null, id text not null, stable_id text not null, seq integer not null,
  primary key (scope, stable_id)) without rowid;
create index if not exists departure_seq on departure (scope, seq);
create table if not exists drive (
  id text primary key, owner_kind text not null, owner_id text not null, name text not null,
  url text not null, created_at integer not null);
create table if not exists item (
  n integer primary key, id text not null unique, drive_id text not null, parent_id text,
  name text not null collate nocase, is_folder integer not null, size integer not null,
  content text, version integer not null, hash text, author text not null,
  created_at integer not null, changed_at integer not null, file_created_at integer not null,
  file_changed_at integer not null, deleted integer not null default 0, seq integer not null);
create index if not exists item_parent on item (parent_id, name);
create index if not exists item_drive on item (drive_id, seq);
create table if not exists version (
  item_id text not null, version integer not null, size integer not null, content text not null,
  author text not null, at integer not null, primary key (item_id, version)) without rowid;
create table if not exists blob (id text primary key, bytes blob not null);
create table if not exists permission (
  id text not null, item_id text not null, props text not null, primary key (item_id, id));
create table if not exists team_owner (
  team_id text not null, person_id text not null, primary key (team_id, person_id)) without rowid;
create table if not exists team_settings (team_id text primary key, props text not null);
create table if not exists channel (
  n integer primary key, id text not null unique, team_id text not null, name text not null collate nocase,
  description text not null, membership text not null, drive_id text not null, folder_id text not null,
  created_at integer not null, migration text, original_created_at integer,
  removed integer not null default 0, seq integer not null);
create index if not exists channel_team on channel (team_id);
create table if not exists channel_member (
  channel_id text not null, person_id text not null, owner integer not null,
  primary key (channel_id, person_id)) without rowid;
create table if not exists post (
  n integer primary key, id text not null, channel_id text not null, root_id text, props text not null,
  created_at integer not null, changed_at integer not null, edited_at integer, deleted_at integer,
  thread_at integer not null, seq integer not null, unique (channel_id, id));
create index if not exists post_thread on post (channel_id, root_id, seq);
create table if not exists hosted_content (
  id text not null, post_n integer not null, type text not null, bytes blob not null,
  primary key (post_n, id)) without rowid;
create table if not exists tab (
  n integer primary key, id text not null unique, channel_id text not null, name text not null,
  app_id text not null, configuration text not null);
create index if not exists tab_channel on tab (channel_id);
create table if not exists list (
  n integer primary key, id text not null unique, site_id text not null, name text not null,
  template text not null, drive_id text, created_at integer not null, changed_at integer not null,
  removed integer not null default 0);
create index if not exists list_site on list (site_id);
create table if not exists list_column (
  list_id text not null, n integer not null, name text not null, props text not null,
  primary key (list_id, n)) without rowid;
create table if not exists list_row (
  list_id text not null, n integer not null, fields text not null, author text not null,
  editor text not null, created_at integer not null, changed_at integer not null,
  version integer not null, deleted integer not null default 0, seq integer not null,
  primary key (list_id, n)) without rowid;
create index if not exists list_row_seq on list_row (list_id, seq);
create table if not exists list_row_version (
  list_id text not null, n integer not null, version integer not null, fields text not null,
  editor text not null, at integer not null, primary key (list_id, n, version)) without rowid;
create table if not exists outlook_folder (
  n integer primary key, id text not null unique, mailbox text not null, kind text not null,
  parent_id text, name text not null, well_known text, seq integer not null);
create index if not exists outlook_folder_mailbox on outlook_folder (mailbox, kind);
create table if not exists outlook_item (
  n integer primary key, mailbox text not null, folder_id text not null, kind text not null,
  id text not null unique, stable_id text not null unique, props text not null, photo blob,
  created_at integer not null, changed_at integer not null, seq integer not null);
create index if not exists outlook_item_folder on outlook_item (folder_id, seq);
`;

/** The tables of the tenant, in memory or in a file. */
export class TenantTables {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;
  /** The latest change; null: to be read. */
  #seq: number | null = null;

  /** `image`: what it begins with, as `copy` returns it. */
  constructor(file: string | null, image: Uint8Array | null = null) {
    this.#db = new DatabaseSync(file ?? ':memory:');
    if (image !== null) this.#db.deserialize(image);
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = normal;');
    if (image === null) this.#db.exec(SCHEMA);
  }

  /** Returns all tables as they are now. */
  copy(): Uint8Array {
    return this.#db.serialize();
  }

  all<T>(sql: string, ...values: readonly SQLInputValue[]): T[] {
    return this.#prepare(sql).all(...values) as T[];
  }

  /** Returns the first row; its columns are those of `T`. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns
  get<T>(sql: string, ...values: readonly SQLInputValue[]): T | undefined {
    return this.#prepare(sql).get(...values) as T | undefined;
  }

  run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#prepare(sql).run(...values);
  }

  /** Inserts a row and returns its number. */
  insert(table: string, row: Readonly<Record<string, SQLInputValue>>): number {
    const names = Object.keys(row);
    const { lastInsertRowid } = this.#prepare(
      `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    ).run(...Object.values(row));
    return Number(lastInsertRowid);
  }

  /** Runs the work as one transaction; inside another one it is a part of that. */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.#depth += 1;
    this.#db.exec('begin');
    try {
      const result = work();
      this.#db.exec('commit');
      return result;
    } catch (error) {
      this.#db.exec('rollback');
      this.#seq = null;
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  readMeta(key: string): string | null {
    return this.get<{ value: string }>('select value from meta where key = ?', key)?.value ?? null;
  }

  writeMeta(key: string, value: string): void {
    this.run('insert or replace into meta (key, value) values (?, ?)', key, value);
  }

  /** Returns the number of the latest change. */
  seq(): number {
    this.#seq ??= Number(this.readMeta('seq') ?? 0);
    return this.#seq;
  }

  nextSeq(): number {
    const next = this.seq() + 1;
    this.writeMeta('seq', String(next));
    this.#seq = next;
    return next;
  }

  /** Returns the next number of a table. One that was given is never given again. */
  nextN(table: string): number {
    const key = `last ${table}`;
    const stored = this.get<{ n: number | null }>(`select max(n) as n from ${table}`)?.n ?? 0;
    const next = Math.max(stored, Number(this.readMeta(key) ?? 0)) + 1;
    this.writeMeta(key, String(next));
    return next;
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** What all parts of the fake work on. */
export interface Tenant {
  readonly store: TenantTables;
  readonly seed: number;
  /** What signs access tokens, and addresses of downloads. */
  readonly keys: { readonly token: KeyObject; readonly download: KeyObject };
  readonly now: () => Ms;
  /** Returns the address under which a host of the cloud is reached, such as `https://graph.microsoft.com`. */
  readonly origin: (host: string) => string;
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly filesHost: string;
}
