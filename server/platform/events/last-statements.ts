import type { CompiledQuery } from 'kysely';

/**
 * Statements of which a transaction needs only one, for all that it has done: what each of its appends
 * or requests would write again to the same row.
 */
export interface LastStatements {
  /**
   * Adds a value to those of this name. Before the commit, `makeStatement` of the first call gets all of
   * them, in order. Nothing may read what it writes earlier in the transaction.
   */
  add<T>(
    name: string,
    value: T,
    makeStatement: (values: readonly T[]) => CompiledQuery | null,
  ): void;
  /** Sends the statements, in the order in which their names were first added. */
  send(): void;
}

export function makeLastStatements(send: (statement: CompiledQuery) => void): LastStatements {
  const added = new Map<
    string,
    { readonly values: unknown[]; readonly make: () => CompiledQuery | null }
  >();
  return {
    add<T>(
      name: string,
      value: T,
      makeStatement: (values: readonly T[]) => CompiledQuery | null,
    ): void {
      const known = added.get(name);
      if (known !== undefined) {
        known.values.push(value);
        return;
      }
      const values = [value];
      added.set(name, { values, make: () => makeStatement(values) });
    },
    send() {
      for (const { make } of added.values()) {
        const statement = make();
        if (statement !== null) send(statement);
      }
      added.clear();
    },
  };
}
