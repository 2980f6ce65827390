import { BASE } from '#contract/messages/base.messages.en.ts';
import { proxy, releaseProxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import type { WorkerClient, Exporting, WatchName } from '#workers/api.ts';
// oxlint-disable-next-line import/default -- the query makes the bundler return the worker's address
import workerUrl from '../../../workers/worker.ts?worker&url';
import { CHUNK_TIMEOUT_MS } from '../../ui/chunk-load.ts';
import { storedLanguage } from '../language.ts';
import { reportWorkerFailure } from './worker-client.ts';
import { startMessages as t } from '../shell/start.messages.en.ts';

/**
 * Starts the worker. Nothing else on the page may start it. If it cannot start,
 * `reportWorkerFailure` receives the error, and calls to the returned client never settle.
 */
export function startWorker(): WorkerClient {
  openAhead();
  try {
    const worker = new Worker(trusted(workerUrl), {
      type: 'module',
      name: storedLanguage(), // the worker's texts are in the language of the page
    });
    // An error before the first message means that the worker failed to start. The browser reports
    // later errors itself.
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
    return createClient(wrap<WorkerClient>(worker));
  } catch (error) {
    reportWorkerFailure(error);
    return DEAF;
  }
}

/**
 * Makes the browser open this site's database files while the worker starts. After a browser start
 * this takes longer than any other disk access.
 */
function openAhead(): void {
  try {
    indexedDB.databases().catch(() => undefined);
  } catch {
    /* no storage: the worker gets the same error */
  }
}

/**
 * Passes callbacks as proxies and releases the remote side of a watch after it is closed. Comlink's
 * types lose generics, so this function restates them.
 */
function createClient(remote: Remote<WorkerClient>): WorkerClient {
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
    impersonate: (who) => remote.impersonate(who),
    stopImpersonation: (unsent) => remote.stopImpersonation(unsent),
    signOut: (unsent) => remote.signOut(unsent),
    mend: (id, how) => remote.mend(id, how),
    syncNow: () => remote.syncNow(),
    readDraft: (name) => remote.readDraft(name),
    saveDraft: (name, value) => remote.saveDraft(name, value),
    deleteDraft: (name) => remote.deleteDraft(name),
  };
}

interface FarWatch {
  change(input: object): void;
  close(): void;
}

const lost = (event: ErrorEvent): void => reportWorkerFailure(event.message || t.workerNotLoaded);

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
  impersonate: silence,
  stopImpersonation: silence,
  signOut: silence,
  mend: silence,
  syncNow: silence,
  readDraft: silence,
  saveDraft: silence,
  deleteDraft: silence,
};

/**
 * The service worker's address. It is at the root of the site so that its scope is the whole site.
 */
export const SERVICE_WORKER = '/sw.js';

/**
 * Under `require-trusted-types-for 'script'` a worker's address must come from a policy. This
 * policy allows exactly these two.
 */
export function trusted(url: string): string {
  policy ??= (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('daybook', {
    createScriptURL(request) {
      if (request !== workerUrl && request !== SERVICE_WORKER) throw new TypeError(request);
      return request;
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
