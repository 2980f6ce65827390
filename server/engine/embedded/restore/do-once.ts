import type { Reply } from '#contract/engine/engine.ts';

/** Does something once for all items with a key. After an error, the next item tries again. */
export async function doOnce<T>(
  results: Map<string, Reply<T>>,
  key: readonly unknown[],
  work: () => Reply<T>,
): Reply<T> {
  const id = JSON.stringify(key);
  const started = results.get(id) ?? work();
  results.set(id, started);
  const result = await started;
  if (!result.ok) results.delete(id);
  return result;
}
