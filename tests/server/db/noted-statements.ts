/**
 * Notes what the stores of a file send to PostgreSQL. Suites that prove nothing of a database run on it
 * alone, so the embedded database parses each statement against the same tables: it has to understand it,
 * too. And each statement has to use its indexes under row-level security, and to suit Citus.
 */
import { Client } from 'pg';
import { sql } from 'kysely';
import type { OpenStore } from '#server/platform/db/open.ts';
import type { NotedStatement } from './lost-conditions.ts';

/** The databases of these stores. */
const watched = new Set<string>();
/** Those of this process, by a form that is the same for lists of any length. */
const parsed = new Set<string>();
const sent = new Map<string, NotedStatement>();
const READ_OR_WRITE = /^\s*(?:select|insert|update|delete|with)\b/i;
const BATCH_SIZE = 50;
const LIST = /\(\$\d+(?:::\w+)?(?:, ?\$\d+(?:::\w+)?)*\)(?:, ?\(\$\d+(?:, ?\$\d+)*\))*/g;

/** From now on, notes the statements that connections of this process send to the database. */
export function noteStatements(database: string): void {
  if (watched.size === 0) watchClients();
  watched.add(database);
}

/** Returns what was noted since the last call. */
export function takeNoted(): NotedStatement[] {
  const noted = [...sent.values()];
  sent.clear();
  return noted;
}

/**
 * Lets the embedded database parse statements.
 * @throws Error with the statement and the reason if it refuses one.
 */
export async function parseNoted(
  noted: readonly NotedStatement[],
  embedded: () => Promise<OpenStore>,
): Promise<void> {
  const texts = noted.map(({ text }) => text);
  if (texts.length === 0) return;
  const store = await embedded();
  const parse = (some: readonly string[]): Promise<unknown> =>
    store.system((tx) =>
      sql
        .raw(some.map((text) => `prepare noted as ${text}; deallocate noted`).join('; '))
        .execute(tx),
    );
  for (let from = 0; from < texts.length; from += BATCH_SIZE) {
    const some = texts.slice(from, from + BATCH_SIZE);
    try {
      await parse(some);
    } catch {
      for (const text of some)
        await parse([text]).catch((error: unknown) => {
          if (isInvalidValue(error)) return;
          throw new Error(`The embedded database refuses a statement of this file: ${text}`, {
            cause: error,
          });
        });
    }
  }
}

/** A value in the text of a statement that damages something may be invalid: PostgreSQL refuses it, too. */
const isInvalidValue = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '22P02';

function watchClients(): void {
  const query = Object.getOwnPropertyDescriptor(Client.prototype, 'query')?.value as (
    this: Client,
    ...details: readonly unknown[]
  ) => unknown;
  function noting(this: Client, ...details: readonly unknown[]): unknown {
    const [first] = details;
    if (watched.has(this.database ?? '')) note(first);
    return query.apply(this, [...details]);
  }
  Object.defineProperty(Client.prototype, 'query', { value: noting, configurable: true });
}

function note(first: unknown): void {
  const { text, values } = (first ?? {}) as { text?: unknown; values?: readonly unknown[] };
  if (typeof text !== 'string' || !READ_OR_WRITE.test(text)) return;
  const form = text.replaceAll(LIST, '($)').replaceAll(/\$\d+/g, '$');
  if (parsed.has(form)) return;
  parsed.add(form);
  sent.set(form, { text, values: values ?? [] });
}
