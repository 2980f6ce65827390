import dexieUrl from './dexie.worker.ts?worker&url';
import oursUrl from './ours.worker.ts?worker&url';
import sqliteUrl from './sqlite.worker.ts?worker&url';

/**
 * The main thread of the benchmark: starts a contender's worker and times round trips. Driven from
 * outside through `bench`.
 */
const URLS: Record<string, string> = { ours: oursUrl, dexie: dexieUrl, sqlite: sqliteUrl };
let worker: Worker | null = null;
let count = 0;
const waiting = new Map<
  number,
  { resolve: (value: unknown) => void; reject: (error: Error) => void }
>();

function hear(message: MessageEvent<{ id: number; value?: unknown; error?: string }>): void {
  const { id, value, error } = message.data;
  const who = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) who?.resolve(value);
  else who?.reject(new Error(error));
}

const expect = (id: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
  });

function call(what: string, ...input: unknown[]): Promise<unknown> {
  const id = ++count;
  const answer = expect(id);
  worker?.postMessage({ id, what, with: input });
  return answer;
}

function begin(name: string): void {
  worker?.terminate();
  indexedDB.databases().catch(() => undefined); // as the product's page does
  worker = new Worker(URLS[name] ?? '', { type: 'module' });
  worker.addEventListener('message', hear);
}

const bench = {
  async start(name: string) {
    const ready = expect(0);
    begin(name);
    await ready;
  },
  /** From nothing (no worker yet) to the default filter's answer on the main thread. */
  async open(name: string) {
    const began = performance.now();
    begin(name);
    // asked at once, as the page of the product does: the worker finds it there
    const answer = await call('open');
    return { ms: performance.now() - began, answer };
  },
  async timed(what: string, ...input: unknown[]) {
    const began = performance.now();
    const answer = await call(what, ...input);
    return { ms: performance.now() - began, answer };
  },
  heap: async () =>
    (
      await (
        performance as unknown as { measureUserAgentSpecificMemory(): Promise<{ bytes: number }> }
      ).measureUserAgentSpecificMemory()
    ).bytes,
};
Object.assign(globalThis, { bench });
