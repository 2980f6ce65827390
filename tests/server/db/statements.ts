import { DefaultQueryExecutor } from 'kysely';

/** A condition for the tenant, in any of the forms that statements use. */
const CONDITION =
  /tenant_id"?\s*(?:=|in\b)|=\s*(?:"?\w+"?\.)?"?tenant_id|\("?tenant_id"?,[^)]*\)\s*(?:in|=)/gi;
const REFERENCE = /\b(?:from|join|update)\s+(?:only\s+)?"?([a-z_]\w*)/gi;

/**
 * Returns the tables of tenants that a statement reads or changes, if it has fewer conditions for a
 * tenant than it names such tables; else none. A reading of the text, which is no parser: it finds a
 * forgotten condition, not each wrong one.
 */
export function findUnconditional(statement: string, tables: ReadonlySet<string>): string[] {
  const named = [...statement.matchAll(REFERENCE)]
    .map(([, table]) => table ?? '')
    .filter((table) => tables.has(table));
  return named.length > (statement.match(CONDITION) ?? []).length ? named : [];
}

/** Collects the text of every statement that this process runs by the query builder until `stop`. */
export function collectStatements(): {
  readonly texts: Set<string>;
  /** Returns those since the last call, in order, and as often as they ran. */
  takeRecent(): string[];
  stop(): void;
} {
  const texts = new Set<string>();
  const recent: string[] = [];
  const executor = Object.getPrototypeOf(DefaultQueryExecutor.prototype) as Pick<
    DefaultQueryExecutor,
    'executeQuery' | 'stream'
  >;
  const { executeQuery, stream } = executor;
  executor.executeQuery = function (this: DefaultQueryExecutor, query, ...rest) {
    texts.add(query.sql);
    recent.push(query.sql);
    return executeQuery.call(this, query, ...rest) as never;
  };
  executor.stream = function (this: DefaultQueryExecutor, query, ...rest) {
    texts.add(query.sql);
    recent.push(query.sql);
    return stream.call(this, query, ...rest) as never;
  };
  return {
    texts,
    takeRecent: () => recent.splice(0),
    stop: () => Object.assign(executor, { executeQuery, stream }),
  };
}
