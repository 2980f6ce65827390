import { proxy } from 'comlink';
import { failed } from '#contract/result.ts';
import type { WorkerClient, SyncStatus, Watch, Watches, WatchName } from '../api.ts';
import { makeCalendar } from '../calendar/calendar.ts';
import { allMatching, makeRunsWatch } from './runs-query.ts';
import { exportRuns } from '../export/export.ts';
import { makeFinder } from '../search/search.ts';
import { makeOverview } from '../dashboard/overview.ts';
import { makeTrends } from '../analytics/trends.ts';
import { versioned } from './versioned.ts';
import { makeReader } from './offline-cache.ts';
import { getBackupRows } from './backup-tables.ts';
import { makeDrafts } from './drafts.ts';
import {
  listDisabledJobs,
  getLastSync,
  getPins,
  getPreferences,
  getShifts,
  getViews,
} from './user-tables.ts';
import { SIGNED_OUT } from '../failures.ts';
import { ClientSession } from '../auth/session.ts';
import { shiftNow } from '../daily-checks/hand-over.ts';
import { Watchers } from './watchers.ts';
import type { Watching } from './watchers.ts';
import type { WorkerContext } from '../context.ts';

/** The worker's only API (COL-7). Methods are found by name, and no expected failure is thrown. */
export function createWorkerApi(
  context: WorkerContext,
): WorkerClient & { readonly session: ClientSession } {
  const watchers = new Watchers(context.clock);
  const session = new ClientSession(context, () => watchers.mark());
  const makers: { readonly [N in WatchName]: () => Watching<N> } = {
    who: () => ({ make: () => session.who }),
    signing: () => ({ make: () => session.signing() }),
    status: () => ({ make: () => session.loop?.status() ?? NOBODY }),
    runs: () =>
      makeRunsWatch(
        () => session.loop?.replica ?? null,
        () => context.clock.now(),
        () => getPins(session.loop),
      ),
    overview: () => {
      const overview = makeOverview();
      const count = versioned();
      return {
        make: (input) => count(overview(session.loop?.replica ?? null, input, context.clock.now())),
      };
    },
    trends: () => {
      const trends = makeTrends();
      const count = versioned();
      return { make: (input) => count(trends(session.loop?.replica ?? null, input)) };
    },
    calendar: () => {
      const calendar = makeCalendar();
      const count = versioned();
      return {
        make: (input) => count(calendar(session.loop?.replica ?? null, input, context.clock.now())),
      };
    },
    find: () => {
      const find = makeFinder();
      return { make: (input) => find(session.loop?.replica.engine ?? null, input) };
    },
    companies: () => ({ make: () => session.loop?.replica.engine.all('company') ?? [] }),
    keys: () => ({ make: () => session.loop?.replica.engine.all('key') ?? [] }),
    lastSync: () => ({ make: () => getLastSync(session.loop) }),
    views: () => ({ make: () => getViews(session.loop) }),
    shifts: () => ({ make: () => getShifts(session.loop) }),
    shiftNow: () => ({
      make: (ask) => shiftNow(session.loop?.replica ?? null, ask, context.clock.now()),
    }),
    preferences: () => ({ make: () => getPreferences(session.loop) }),
    disabled: () => ({ make: () => listDisabledJobs(session.loop) }),
    organizations: () => ({ make: () => getBackupRows(session.loop, 'organization') }),
    backupJobs: () => ({ make: () => getBackupRows(session.loop, 'backupJob') }),
    backupRepositories: () => ({ make: () => getBackupRows(session.loop, 'backupRepository') }),
    backupProxies: () => ({ make: () => getBackupRows(session.loop, 'backupProxy') }),
    outbox: () => ({
      make: () => session.loop?.outbox.view() ?? { entries: [], damaged: [], notices: [] },
    }),
    refused: () => ({
      make: ({ id, max }) => session.loop?.outbox.refusedOf(id, max) ?? { count: 0, reasons: [] },
    }),
  };
  void session.start();

  return {
    session,
    watch<N extends WatchName>(
      name: N,
      input: Watches[N]['input'],
      onChange: (value: Watches[N]['output']) => void,
    ): Promise<Watch<N>> {
      return Promise.resolve(proxy(watchers.add<N>(makers[name](), input, onChange)));
    },
    send: (name, input) => {
      watchers.hold();
      return session.loop?.outbox.keep(name, input) ?? Promise.resolve(failed(SIGNED_OUT));
    },
    ask: (name, input) => session.ask(name, input),
    file: (name, input) => session.file(name, input),
    read: makeReader(session, context.clock),
    matching: (filter) =>
      Promise.resolve(
        session.loop ? allMatching(session.loop.replica.engine, filter, context.clock.now()) : [],
      ),
    exportRuns: (filter, columns, onProgress) => {
      const { loop } = session;
      const replica = loop?.replica;
      if (!replica)
        return Promise.resolve(proxy({ done: () => Promise.resolve(null), cancel: () => {} }));
      const { engine, generation } = replica;
      const names = new Map(replica.people.map(({ id, name }) => [id, name]));
      return Promise.resolve(
        proxy(
          exportRuns({
            engine,
            clock: context.clock,
            names,
            filter,
            columns,
            onProgress,
            stillHere: () => session.loop === loop && replica.generation === generation,
          }),
        ),
      );
    },
    signIn: (ask) => session.signIn(ask),
    signInBack: () => {
      session.signInBack();
      return Promise.resolve();
    },
    impersonate: (who) => session.impersonate(who),
    stopImpersonation: (unsent) => session.stopImpersonation(unsent),
    signOut: (unsent) => session.signOut(unsent),
    mend: (id, how) => session.loop?.outbox.mend(id, how) ?? Promise.resolve(failed(SIGNED_OUT)),
    syncNow: () => {
      session.loop?.wake();
      return Promise.resolve();
    },
    ...makeDrafts(session, context.clock),
  };
}

const NOBODY: SyncStatus = {
  kind: 'signed-out',
  syncedAt: null,
  offlineSince: null,
  left: 0,
  waiting: 0,
  refused: 0,
  partly: 0,
  follower: false,
  storage: 'best-effort',
  error: null,
  reload: false,
};
