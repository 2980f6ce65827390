import type { EngineResult } from '#contract/engine/engine.ts';
import type { RepositoryTarget } from '#server/engine/embedded/restic/target.ts';
import { failed } from '#server/engine/result.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeMemoryTarget } from './restic/fixtures.ts';
import type { SessionBench } from './session-bench.ts';

export type Moment = 'before' | 'after';
export class Killed extends Error {}
const ended = (): EngineResult<void> => failed('unreachable', 'The process has ended.');

/** A write of a process: its name, and which one of that name it is, from 0. */
export interface NamedWrite {
  readonly name: string;
  readonly nth: number;
}

/** Everything that a process writes is counted; at the given write it ends, and does nothing more. */
export function makeKilled(bench: SessionBench, killAt: number, moment: Moment) {
  let count = 0;
  const { target, store } = interceptWrites(bench, () => (count += 1) >= killAt, moment);
  return { target, store, isOver: () => count >= killAt };
}

/** The same with a write that is named. Without one, nothing ends it, and `writes` are all it did. */
export function makeKilledAt(bench: SessionBench, write: NamedWrite | null, moment: Moment) {
  const writes: NamedWrite[] = [];
  let isOver = false;
  const { target, store } = interceptWrites(
    bench,
    (name) => {
      const nth = writes.filter((one) => one.name === name).length;
      writes.push({ name, nth });
      isOver ||= name === write?.name && nth === write.nth;
      return isOver;
    },
    moment,
  );
  return { target, store, writes, isOver: () => isOver };
}

/** The process ends `moment` the first write of which `isLast` is true. */
function interceptWrites(bench: SessionBench, isLast: (name: string) => boolean, moment: Moment) {
  const memory = makeMemoryTarget(bench.files);
  const { store } = bench.ground.context;
  let hasEnded = false;
  async function step<T>(name: string, work: () => Promise<T>, end: () => T): Promise<T> {
    if (hasEnded) return end();
    if (!isLast(name)) return work();
    hasEnded = true;
    if (moment === 'after') await work();
    return end();
  }
  const target: RepositoryTarget = {
    ...memory,
    write: (type, name, bytes) =>
      step(`write ${type}`, () => memory.write(type, name, bytes), ended),
    remove: (type, name) => step(`remove ${type}`, () => memory.remove(type, name), ended),
  };
  const killed: Store = {
    ...store,
    tenant: (tenant, work, how) =>
      how?.readOnly === true && !hasEnded
        ? store.tenant(tenant, work, how)
        : step(
            `commit in ${findCaller()}`,
            () => store.tenant(tenant, work, how),
            () => {
              throw new Killed('The process has ended.');
            },
          ),
  };
  return { target, store: killed };
}

/** Returns the file and the function of the engine that begin a transaction, or its line. */
function findCaller(): string {
  const frame = /^ *at (?:async )?(?:(\S+) \()?.*\/server\/engine\/embedded\/([\w/-]+)\.ts:(\d+)/m;
  const [, name, file = 'elsewhere', line = ''] = frame.exec(new Error().stack ?? '') ?? [];
  return `${file} ${name ?? line}`;
}
