/**
 * Finds statements that Citus refuses, runs on all nodes although they are about one tenant, or runs on
 * one node although they change a table that all nodes have. It runs a statement on the node of a tenant
 * if it can see from the statement that each row is the tenant's. A reading of the text, which is no
 * parser: it finds the forms that Citus 13 was seen to refuse or make wrong.
 */
import { UNOWNED } from '#server/platform/db/migrations/migration.ts';

/** An `insert` of what a query returns, up to that query. */
const INSERT =
  /\binsert\s+into\s+"?(\w+)"?\s*\((\s*"?tenant_id\b)?[^)]*\)\s*(?=select\b|with\b|\()/gi;
/** Up to the values of an `insert`. */
const VALUES = /\binsert\s+into\s+"?\w+"?\s*(?:as\s+\w+\s*)?\([^)]*\)\s*values\b/gi;
const QUERY = /\(\s*(?:select|with)\b/i;
const COLUMN = /^select\s+(?:distinct\s+)?(?:"?\w+"?\.)?"?tenant_id"?\s*(?:,|from\b)/i;
const VOLATILE = /\b(?:gen_random_uuid|clock_timestamp|random|nextval)\(/i;
const CONFLICT = /\bon\s+conflict\b/gi;
const CONDITION = /\bwhere\b.*\(\s*select\b/is;
const CHANGE = /\(\s*(?:insert\s+into|update|delete\s+from)\s/i;
/** The same, or at the end of queries that have names. */
const MODIFYING = /[()]\s*(?:insert\s+into|update|delete\s+from)\s/i;
/** The table that a statement or a query that has a name changes. */
const CHANGED = /(^|[()]\s*)(insert\s+into|update|delete\s+from)\s+(?:only\s+)?"?(\w+)/gi;
/** What a query reads, without functions, tables of the system, `distinct from` and `extract`. */
const READ =
  /(?<!\bdistinct\s|\bextract\(\w+\s)\b(?:from|join|using)\s+(?:only\s+)?"?(?!pg_)(\w+)(?![\w.]|\s*\()/gi;
const NAMED_QUERY = /(\w+)"?\s*(?:\([^()]*\)\s*)?\bas\s+(?:(?:not\s+)?materialized\s+)?\(/gi;
const LOCK = /\bfor\s+(?:no\s+key\s+)?(?:update|share)\b/i;
const OWNED = /\bfrom\s+(?!pg_)[^()]*tenant_id/is;
const LATERAL = /\blateral\s*(?=\()/gi;
const SET_RETURNING =
  /\(\s*select\s+(?:jsonb?_array_elements(?:_text)?|jsonb?_object_keys|unnest|generate_series|string_to_table|regexp_split_to_table)\(/i;
const TENANT = /tenant_id"?\s*=\s*(?:\$\d|'[0-9a-f]{8}-)/i;
/** PostgreSQL takes their results to depend on settings. */
const NOT_IMMUTABLE =
  /\b(?:jsonb?_build_object|jsonb?_build_array|to_jsonb?|concat|concat_ws|format)\(/gi;
/** What is added to a time depends on the time zone. */
const COLUMN_AND_INTERVAL = /\b[a-z_]\w*"?\s*[+-]\s*interval\b/i;
/** Within these, Citus refuses any such function, but the columns in them don't count. */
const CASE = /\bcase\b.*?\bend\b/gis;
const NO_COLUMNS = /^(?:[\s,+-]|'[^']*'|\$\d+|::\w+(?:\[\])?|\d|null\b|true\b|false\b)*$/i;

/** Returns why Citus can't run a statement on the node of its tenant; null if nothing is seen. */
export function findUnrouted(statement: string): string | null {
  const text = statement.trim();
  for (const { index } of text.matchAll(CONFLICT))
    if (CONDITION.test(readRest(text, index))) return 'a query is in the condition of its conflict';
  for (const { index } of text.matchAll(VALUES))
    if (QUERY.test(readRest(text, index))) return 'a query is among the values that it inserts';
  const mixed = findMixedChange(text);
  if (mixed !== null) return mixed;
  if (LOCK.test(text) && !TENANT.test(text) && readsTenants(text, text))
    return 'it locks rows without the name of a tenant';
  for (const insert of text.matchAll(INSERT)) {
    if ((insert[1] ?? '') in UNOWNED) continue;
    if (CHANGE.test(text)) return 'it changes something else in the same statement';
    const query = text.slice(insert.index + insert[0].length);
    if (VOLATILE.test(query)) return 'it inserts what a volatile function returns';
    if (insert[2] !== undefined && !COLUMN.test(query))
      return 'the tenant_id that it inserts is not a column';
  }
  if ((/^(?:update|delete)\b/i.test(text) || MODIFYING.test(text)) && SET_RETURNING.test(text))
    return 'a query in it returns sets beside its `from`';
  for (const lateral of text.matchAll(LATERAL)) {
    const query = readParentheses(text, lateral.index + lateral[0].length);
    const table = /\bfrom\s+(\w+)/i.exec(query)?.[1] ?? '';
    if (!(table in UNOWNED) && isUnbound(query)) return 'a lateral query does not name the tenant';
  }
  if (/^select\b/i.test(text) && listQueries(getResults(text)).some(isUnbound))
    return 'a query among its results does not name the tenant';
  if (/^update\b/i.test(text)) {
    if (VOLATILE.test(text)) return 'it changes rows by a volatile function';
    if (COLUMN_AND_INTERVAL.test(text)) return 'it adds an interval to a column';
    if ((text.match(CASE) ?? []).some((one) => one.search(NOT_IMMUTABLE) !== -1))
      return 'a case in it has a function that is not immutable';
    for (const call of text.matchAll(NOT_IMMUTABLE)) {
      const values = readParentheses(text, call.index + call[0].length - 1);
      if (!NO_COLUMNS.test(values.replaceAll(CASE, '')))
        return 'it calculates from columns with a function that is not immutable';
    }
  }
  return null;
}

/**
 * Returns why a statement can't change a table that all nodes have: such a change may not read tables of
 * tenants, unless it inserts. Beside a change of a table of tenants, only the node of the tenant makes it.
 */
function findMixedChange(text: string): string | null {
  const changes = [...text.matchAll(CHANGED)].map(
    ({ index, 1: before = '', 2: verb, 3: table }) => {
      const from = index + before.length;
      const rest = readRest(text, from);
      return { verb, table, isLast: rest.length === text.length - from, rest };
    },
  );
  const last = changes.find(({ isLast }) => isLast);
  for (const { verb = '', table = '', isLast, rest } of changes) {
    if (!(table in UNOWNED)) continue;
    if (last !== undefined && !((last.table ?? '') in UNOWNED))
      return 'it changes a table that all nodes have beside one of tenants';
    if (/^insert/i.test(verb)) continue;
    if (readsTenants(isLast ? text : rest, text))
      return 'it changes a table that all nodes have and reads one of tenants';
  }
  return null;
}

/** Whether a part of a statement reads a table of tenants, whose rows are not on all nodes. */
function readsTenants(part: string, text: string): boolean {
  const queries = new Set([...text.matchAll(NAMED_QUERY)].map(([, name = '']) => name));
  const read = [...part.matchAll(READ)].map(([, name = '']) => name);
  return read.some((name) => !(name in UNOWNED) && !queries.has(name));
}

const isUnbound = (query: string): boolean => OWNED.test(query) && !TENANT.test(query);

/** Returns what stands between the parenthesis at a place and the one that closes it. */
function readParentheses(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return text.slice(from + 1, at);
  }
  return text.slice(from + 1);
}

/** Returns what follows a place, up to the end of the parentheses around it. */
function readRest(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth < 0) return text.slice(from, at);
  }
  return text.slice(from);
}

/** Returns the list of what a query returns: what stands before its own `from`. */
function getResults(query: string): string {
  for (let at = 0; at < query.length; at++) {
    if (query[at] === '(') at += readParentheses(query, at).length + 1;
    if (/^\sfrom\b/i.test(query.slice(at, at + 6))) return query.slice(0, at);
  }
  return query;
}

/** Returns the queries in parentheses in a text, without those within them. */
function listQueries(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '(') continue;
    const inner = readParentheses(text, at);
    found.push(...(/^\s*select\b/i.test(inner) ? [inner] : listQueries(inner)));
    at += inner.length + 1;
  }
  return found;
}
