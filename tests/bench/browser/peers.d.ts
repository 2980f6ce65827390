// The peers are installed by the benchmark alone; where they are not, this is what it uses of them.
declare module '*/sqlite-wasm/dist/index.mjs' {
  interface Sqlite {
    installOpfsSAHPoolVfs(how: {
      name: string;
      initialCapacity: number;
    }): Promise<{ OpfsSAHPoolDb: new (file: string) => object }>;
  }
  const init: () => Promise<Sqlite>;
  export default init;
}
declare module '*/dexie/dist/modern/dexie.mjs' {
  interface Table<T> {
    bulkAdd(rows: readonly T[]): Promise<unknown>;
    bulkPut(rows: readonly T[]): Promise<unknown>;
    toArray(): Promise<T[]>;
  }
  export class Dexie {
    constructor(name: string);
    version(n: number): { stores(schema: Record<string, string>): void };
    table<T>(name: string): Table<T>;
  }
}
