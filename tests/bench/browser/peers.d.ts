// The peer is installed by the benchmark alone; where it is not, this is what the benchmark uses of it.
declare module '*/sqlite-wasm/dist/index.mjs' {
  interface Sqlite { installOpfsSAHPoolVfs(how: { name: string; initialCapacity: number }): Promise<{ OpfsSAHPoolDb: new (file: string) => object }> }
  const init: () => Promise<Sqlite>;
  export default init;
}
