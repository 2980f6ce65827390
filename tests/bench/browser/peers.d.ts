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
