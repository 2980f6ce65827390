/**
 * Does the work for all items, at most `atOnce` at a time, and yields the results as they come. No
 * more than that many results wait for the consumer.
 */
export async function* inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void> {
  const running = new Map<number, Promise<{ readonly n: number; readonly result: R }>>();
  let next = 0;
  const start = (): void => {
    const n = next;
    const item = items[n];
    if (n >= items.length || item === undefined) return;
    next += 1;
    running.set(
      n,
      work(item).then((result) => ({ n, result })),
    );
  };
  while (running.size < Math.min(atOnce, items.length)) start();
  try {
    while (running.size > 0) {
      const { n, result } = await Promise.race(running.values());
      running.delete(n);
      yield result;
      start();
    }
  } finally {
    // If the consumer stops early, nobody waits for the rest any more.
    for (const rest of running.values()) rest.catch(() => undefined);
  }
}
