import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { announce } from '#src/app/shell/announce.tsx';
import { canRetry } from '#src/ui/can-retry.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { saveFile } from '#src/ui/save-file.ts';
import { exportMessages as t } from './messages.en.ts';

/** A running export: progress from 0 to 1, and a function to cancel it. Null if none is running. */
export interface Making {
  readonly share: number;
  readonly cancel: () => void;
}

interface Made {
  readonly name: string;
  readonly rows: number;
  readonly file: Blob;
}

/** Creates a file. `formatDone`: the message after it is saved. */
export interface Maker {
  readonly start: (
    onShare: (share: number) => void,
  ) => Promise<{ readonly done: () => Promise<Made | null>; readonly cancel: () => void }>;
  readonly formatDone: (name: string, rows: number) => string;
}

let now: Making | null = null;
const listeners = new Set<() => void>();
const show = (next: Making | null): void => {
  now = next;
  listeners.forEach((listener) => listener());
};

export const making = {
  now: (): Making | null => now,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};

/** A part of the file that the server refused. */
export class FailedCall extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * Returns the message of a failure. Calls that read a file's rows have their own message for a
 * failed page.
 */
export const getExportFailureText = (failure: Failure): string =>
  failure.kind === 'server-error' ? MESSAGES.export : getFailureText(failure);

/** Creates one file at a time; the button is busy meanwhile. */
export async function makeFile({ start, formatDone }: Maker): Promise<void> {
  if (now !== null) return;
  let cancelled = false;
  let stop: (() => void) | null = null;
  const cancel = (): void => {
    cancelled = true;
    stop?.();
    show(null);
    announce(t.canceled);
  };
  show({ share: 0, cancel });
  try {
    const work = await start((share) => {
      if (!cancelled) show({ share, cancel });
    });
    stop = work.cancel;
    if (cancelled) work.cancel();
    const made = await work.done();
    if (cancelled || made === null) return;
    saveFile(made.name, made.file);
    showSuccess(formatDone(made.name, made.rows));
  } catch (error) {
    if (cancelled) return;
    const failure = error instanceof FailedCall ? error.failure : null;
    showFailure(
      failure === null ? MESSAGES.export : getExportFailureText(failure),
      canRetry(failure) ? () => void makeFile({ start, formatDone }) : undefined,
    );
  } finally {
    if (!cancelled) show(null);
  }
}
