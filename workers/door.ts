import { proxy } from 'comlink';
import { MESSAGES } from '#contract/messages.ts';
import { failed } from '#contract/result.ts';
import type { Door, SyncStatus, Watch, Watches, WatchName } from './api.ts';
import { allMatching, makeRunsWatch } from './door-runs.ts';
import { Session } from './session.ts';
import { Watchers } from './watching.ts';
import type { Watching } from './watching.ts';
import type { WorkerWorld } from './world.ts';

/** The one door of the worker (COL-7): what stands behind it is found by name, and nothing expected is thrown through it. */
export function makeDoor(world: WorkerWorld): Door & { readonly session: Session } {
  const watchers = new Watchers(world.clock);
  const session = new Session(world, () => watchers.mark());
  const makers: { readonly [N in WatchName]: () => Watching<N> } = {
    who: () => ({ make: () => session.who }),
    status: () => ({ make: () => session.loop?.status() ?? NOBODY }),
    runs: () => makeRunsWatch(() => session.loop?.replica ?? null, () => world.clock.now()),
    companies: () => ({ make: () => session.loop?.replica.engine.all('company') ?? [] }),
    keys: () => ({ make: () => session.loop?.replica.engine.all('key') ?? [] }),
    outbox: () => ({ make: () => session.loop?.outbox.view() ?? { entries: [], notices: [] } }),
  };
  void session.start();

  return {
    session,
    watch<N extends WatchName>(name: N, takes: Watches[N]['takes'], onChange: (value: Watches[N]['gives']) => void): Promise<Watch<N>> {
      return Promise.resolve(proxy(watchers.add<N>(makers[name](), takes, onChange)));
    },
    send: (name, input) => {
      watchers.hold();
      return session.loop?.outbox.keep(name, input) ?? Promise.resolve(SIGNED_OUT);
    },
    ask: (name, input) => session.ask(name, input),
    matching: (filter) => Promise.resolve(session.loop ? allMatching(session.loop.replica.engine, filter, world.clock.now()) : []),
    signIn: (username, password) => session.signIn(username, password),
    signOut: (unsent) => session.signOut(unsent),
    mend: (id, how) => session.loop?.outbox.mend(id, how) ?? Promise.resolve(SIGNED_OUT),
    syncNow: () => { session.loop?.wake(); return Promise.resolve(); },
  };
}

const SIGNED_OUT = failed({ kind: 'signed-out', message: MESSAGES.signedOut });
const NOBODY: SyncStatus = {
  is: 'signed-out', syncedAt: null, offlineSince: null, left: 0, waiting: 0, refused: 0, follower: false, storage: 'best-effort', fault: null, reload: false,
};
