import type { EngineResult } from '#contract/engine/engine.ts';
import type { RepositoryTarget } from '#server/engine/embedded/restic/target.ts';
import { failed } from '#server/engine/result.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeMemoryTarget } from './restic/fixtures.ts';
import type { SessionBench } from './session-bench.ts';

export type Moment = 'before' | 'after';
export class Killed extends Error {}
const ended = (): EngineResult<void> => failed('unreachable', 'The process has ended.');

/** Everything that a process writes is counted; at the given write it ends, and does nothing more. */
export function makeKilled(bench: SessionBench, killAt: number, moment: Moment) {
  let count = 0;
  const memory = makeMemoryTarget(bench.files);
  const { store } = bench.ground.context;
  async function step<T>(work: () => Promise<T>, end: () => T): Promise<T> {
    count += 1;
    if (count > killAt) return end();
    if (count < killAt) return work();
    if (moment === 'after') await work();
    return end();
  }
  const target: RepositoryTarget = {
    ...memory,
    write: (type, name, bytes) => step(() => memory.write(type, name, bytes), ended),
    remove: (type, name) => step(() => memory.remove(type, name), ended),
  };
  const killed: Store = {
    ...store,
    tenant: (tenant, work, how) =>
      how?.readOnly === true && count < killAt
        ? store.tenant(tenant, work, how)
        : step(
            () => store.tenant(tenant, work, how),
            () => {
              throw new Killed('The process has ended.');
            },
          ),
  };
  return { target, store: killed, isOver: () => count >= killAt };
}

export const makeRandom = (seed: number) => {
  let state = seed * 7919 + 17;
  return (max: number): number => (state = (state * 48_271) % 2_147_483_647) % max;
};
