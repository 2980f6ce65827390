import { BASE } from '#contract/messages/base.messages.en.ts';
import { proxy, releaseProxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import type { WorkerClient, Exporting, WatchName } from '#workers/api.ts';
// oxlint-disable-next-line import/default -- the query makes the bundler answer with the worker's address
import workerUrl from '../../../workers/worker.ts?worker&url';
import { CHUNK_TIMEOUT_MS } from '../../ui/chunk-load.ts';
import { reportWorkerFailure } from './worker-client.ts';

/**
 * Starts the worker: the only place of the page that does. What cannot start is told to
 * `doorFailed`, and the door then answers nothing.
 */
export function startWorker(): WorkerClient {
  openAhead();
  try {
    const worker = new Worker(trusted(workerUrl), { type: 'module', name: 'daybook' });
    // An error before its first word means that it does not start; a later one is a bug in it,
    // which the browser reports.
    worker.addEventListener('error', lost);
    const timer = setTimeout(() => reportWorkerFailure(new Error(BASE.chunk)), CHUNK_TIMEOUT_MS);
    worker.addEventListener(
      'message',
      () => {
        clearTimeout(timer);
        worker.removeEventListener('error', lost);
      },
      { once: true },
    );
    return doorOf(wrap<WorkerClient>(worker));
  } catch (fault) {
    reportWorkerFailure(fault);
    return DEAF;
  }
}

/**
 * The browser opens its files of this site while the worker starts: in a browser just started, that
 * takes longer than all else that the disk waits for.
 */
function openAhead(): void {
  try {
    indexedDB.databases().catch(() => undefined);
  } catch {
    /* none to open: the worker is told the same */
  }
}

/**
 * Callbacks cross as proxies, and the far side of a watch is let go once it is closed. Comlink's
 * types lose generics, so they are said again here.
 */
function doorOf(remote: Remote<WorkerClient>): WorkerClient {
  const watch = remote.watch as unknown as (
    name: WatchName,
    input: object,
    onChange: unknown,
  ) => Promise<Remote<FarWatch>>;
  const send = remote.send as unknown as WorkerClient['send'];
  const ask = remote.ask as unknown as WorkerClient['ask'];
  const read = remote.read as unknown as WorkerClient['read'];
  const file = remote.file as unknown as WorkerClient['file'];
  const exportRuns = remote.exportRuns as unknown as (
    filter: object,
    columns: object,
    onProgress: unknown,
  ) => Promise<Remote<Exporting>>;
  return {
    async watch(name, input, onChange) {
      const far = await watch(name, input, proxy(onChange));
      return {
        change: (next) => {
          far.change(next).catch(reportWorkerFailure);
        },
        close: () => {
          far
            .close()
            .then(() => far[releaseProxy]())
            .catch(reportWorkerFailure);
        },
      };
    },
    send,
    ask,
    read,
    file,
    matching: (filter) => remote.matching(filter),
    async exportRuns(filter, columns, onProgress) {
      const far = await exportRuns(filter, columns, proxy(onProgress));
      let over = false;
      const done = far.done().finally(() => {
        over = true;
        far[releaseProxy]();
      });
      return {
        done: () => done,
        cancel: () => {
          if (!over) far.cancel().catch(reportWorkerFailure);
        },
      };
    },
    signIn: (ask) => remote.signIn(ask),
    signInBack: () => remote.signInBack(),
    actAs: (who) => remote.actAs(who),
    stopActing: (unsent) => remote.stopActing(unsent),
    signOut: (unsent) => remote.signOut(unsent),
    mend: (id, how) => remote.mend(id, how),
    syncNow: () => remote.syncNow(),
  };
}

interface FarWatch {
  change(input: object): void;
  close(): void;
}

const lost = (event: ErrorEvent): void =>
  reportWorkerFailure(event.message || 'The worker could not be loaded.');

const silence = (): Promise<never> => new Promise(() => {});
const DEAF: WorkerClient = {
  watch: silence,
  send: silence,
  ask: silence,
  read: silence,
  file: silence,
  matching: silence,
  exportRuns: silence,
  signIn: silence,
  signInBack: silence,
  actAs: silence,
  stopActing: silence,
  signOut: silence,
  mend: silence,
  syncNow: silence,
};

/**
 * The service worker's address. Its place is the root of the site, so that it may answer for all of
 * it.
 */
export const SERVICE_WORKER = '/sw.js';

/**
 * Under `require-trusted-types-for 'script'` a worker's address must come from a policy; ours lets
 * exactly these two through.
 */
export function trusted(url: string): string {
  policy ??= (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('daybook', {
    createScriptURL(asked) {
      if (asked !== workerUrl && asked !== SERVICE_WORKER) throw new TypeError(asked);
      return asked;
    },
  });
  return (policy?.createScriptURL(url) as string | undefined) ?? url;
}

interface Policy {
  createScriptURL(url: string): unknown;
}
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy;
}
let policy: Policy | undefined;
