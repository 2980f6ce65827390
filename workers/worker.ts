import { begun } from './begun.ts'; // before all others: it opens the databases
import { expose } from 'comlink';
import { realChance, realClock } from './clock.ts';
import { makeEngine } from './columns/engine.ts';
import { memoryDisk } from './disk/disk.ts';
import { makeDoor } from './door.ts';
import type { Channel, Locks } from './world.ts';

/** Web Locks; where there are none, every tab leads itself. */
const locks: Locks = async (name, signal, work) => {
  if (!('locks' in navigator)) return work();
  await navigator.locks.request(name, { signal }, work);
};

function channel(name: string): Channel {
  const inner = new BroadcastChannel(name);
  return {
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is of one origin
    post: (message) => inner.postMessage(message),
    listen: (listener) => inner.addEventListener('message', ({ data }) => listener(data)),
    close: () => inner.close(),
  };
}

const { session: _kept, ...door } = makeDoor({
  clock: realClock, chance: realChance, fetch: (...args) => fetch(...args), origin: location.origin, makeEngine, ...begun,
  memoryDisk, locks, channel,
  // A worker may only ask whether the browser promised; the page asks for the promise.
  persist: () => ('storage' in navigator ? navigator.storage.persisted() : Promise.resolve(false)),
  onOnline: (listener) => {
    addEventListener('online', listener);
    return () => removeEventListener('online', listener);
  },
});
expose(door);
