import { expose } from 'comlink';
import type { Endpoint } from 'comlink';
import { loadLanguage } from '#contract/i18n/load-language.ts';
import { realChance, realClock } from '../clock.ts';
import { makeEngine } from '../columns/engine.ts';
import { diskOn, memoryDisk } from '../disk/disk.ts';
import { createWorkerApi } from '../queries/live-queries.ts';
import type { Opens } from './preopen.ts';
import type { Channel, Locks } from '../context.ts';

/** Web Locks; without them, every tab is its own leader. */
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

/**
 * Everything behind the worker's API. `page`: the endpoint of the page's messages, including those
 * sent before. The worker's name is the language of the page.
 */
export async function startWorker(begun: Opens, page: Endpoint): Promise<void> {
  await loadLanguage(self.name);
  const { session: _stored, ...api } = createWorkerApi({
    clock: realClock,
    chance: realChance,
    fetch: (...args) => fetch(...args),
    origin: location.origin,
    makeEngine,
    openRegister: begun.openRegister,
    openDisk: async (profile, register) => diskOn(await begun.connect(profile), profile, register),
    memoryDisk,
    locks,
    channel,
    // A worker can only query whether storage is persistent; the page requests it.
    persist: () =>
      'storage' in navigator ? navigator.storage.persisted() : Promise.resolve(false),
    onNetworkChange: (listener) => {
      addEventListener('online', listener);
      addEventListener('offline', listener);
      return () => {
        removeEventListener('online', listener);
        removeEventListener('offline', listener);
      };
    },
    isOnline: () => navigator.onLine,
  });
  expose(api, page);
}
