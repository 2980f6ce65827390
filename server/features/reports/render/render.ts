import { Worker } from 'node:worker_threads';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { RenderRequest } from './render-worker.ts';

/** The time and memory limits of a file. A calendar of 10,000 jobs is far below both. */
export const RENDER_MS: Ms = 180_000;
const MEMORY_MB = 2_048;

export type Rendered =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'late' }
  | { readonly kind: 'broken'; readonly error: unknown };

/** Renders a file in a thread, which ends with it, so that the server stays responsive. */
export function render(
  context: Pick<AppContext, 'clock'>,
  ask: RenderRequest,
  maxMs: Ms = RENDER_MS,
): Promise<Rendered> {
  const worker = new Worker(new URL('./render-worker.ts', import.meta.url), {
    workerData: ask,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  return new Promise<Rendered>((resolve) => {
    const timer = context.clock.after(maxMs, () => end({ kind: 'late' }));
    function end(outcome: Rendered): void {
      timer.cancel();
      resolve(outcome);
      void worker.terminate();
    }
    worker.once('message', (bytes: Uint8Array) => {
      end({ kind: 'file', bytes });
    });
    worker.once('error', (error) => {
      end({ kind: 'broken', error });
    });
    worker.once('exit', (code) => {
      end({ kind: 'broken', error: new Error(`the thread of a report ended with ${code}`) });
    });
  });
}
