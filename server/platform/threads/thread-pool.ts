import { Worker } from 'node:worker_threads';

/** A task for a thread. `transfer`: its buffers that are transferred instead of copied. */
export interface ThreadTask<T> {
  readonly task: T;
  readonly transfer: readonly ArrayBuffer[];
}

/** What a thread answers for each task, in their order. `failed`: the name of the error. */
export type ThreadAnswer<A> = { readonly answer: A } | { readonly failed: string };

/** Threads that share the tasks of a server. They start when needed. */
export interface ThreadPool<T, A> {
  /** The most threads that run at a time. */
  readonly size: number;
  /**
   * Returns a thread's answer. A thread that ends is replaced, and its tasks are made again and
   * repeated; throws if a task ended `MAX_ATTEMPTS` threads, or failed in one.
   */
  run(makeTask: () => ThreadTask<T>): Promise<A>;
  /** Ends the threads. Tasks without an answer throw. The next task starts new ones. */
  close(): Promise<void>;
}

interface Options {
  /** The thread's program. It posts a `ThreadAnswer` for each message, in their order. */
  readonly script: URL;
  readonly size: number;
  readonly memoryMb: number;
}

interface Job<T, A> {
  readonly makeTask: () => ThreadTask<T>;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: Error) => void;
  attempts: number;
}
interface Thread<T, A> {
  readonly worker: Worker;
  /** The first one is worked on, the next ones wait in the thread. */
  readonly jobs: Job<T, A>[];
}

/** A task that ends as many threads isn't tried in another. */
const MAX_ATTEMPTS = 3;
/** A second task waits in the thread, so that it needn't wait for the event loop between two. */
const JOBS_PER_THREAD = 2;

export function makeThreadPool<T, A>({ script, size, memoryMb }: Options): ThreadPool<T, A> {
  const threads = new Set<Thread<T, A>>();
  const waiting: Job<T, A>[] = [];

  function start(): Thread<T, A> {
    const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    const thread: Thread<T, A> = { worker, jobs: [] };
    // The end that follows is what counts.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      replace(thread);
    });
    worker.on('message', (answer: ThreadAnswer<A>) => {
      const job = thread.jobs.shift();
      if (thread.jobs.length === 0) worker.unref();
      if ('answer' in answer) job?.resolve(answer.answer);
      else job?.reject(new Error(`A thread failed: ${answer.failed}`));
      distribute();
    });
    worker.unref();
    threads.add(thread);
    return thread;
  }

  function replace(thread: Thread<T, A>): void {
    if (!threads.delete(thread)) return;
    const [current, ...others] = thread.jobs.splice(0);
    waiting.unshift(...others);
    if (current !== undefined) {
      current.attempts += 1;
      if (current.attempts < MAX_ATTEMPTS) waiting.unshift(current);
      else current.reject(new Error('A task ended several threads.'));
    }
    distribute();
  }

  function findThread(): Thread<T, A> | undefined {
    const [idlest] = [...threads].toSorted((a, b) => a.jobs.length - b.jobs.length);
    if (idlest?.jobs.length === 0) return idlest;
    if (threads.size < size) return start();
    return idlest !== undefined && idlest.jobs.length < JOBS_PER_THREAD ? idlest : undefined;
  }

  function distribute(): void {
    while (waiting.length > 0) {
      const thread = findThread();
      const job = thread && waiting.shift();
      if (!thread || !job) return;
      thread.jobs.push(job);
      thread.worker.ref();
      const { task, transfer } = job.makeTask();
      thread.worker.postMessage(task, transfer);
    }
  }

  return {
    size,
    run: (makeTask) =>
      new Promise<A>((resolve, reject) => {
        waiting.push({ makeTask, resolve, reject, attempts: 0 });
        distribute();
      }),
    async close() {
      const ending = [...threads];
      threads.clear();
      const jobs = [...ending.flatMap((thread) => thread.jobs.splice(0)), ...waiting.splice(0)];
      for (const { reject } of jobs) reject(new Error('The threads were ended.'));
      await Promise.all(ending.map(({ worker }) => worker.terminate()));
    },
  };
}
