import { uiMessages as t } from './messages.en.ts';

/** A temporary message at the top right. Render `<Toasts />` once, in the shell. */
export interface Toast {
  readonly id: number;
  /**
   * `done`: a tick. `info`: pending, or other information. `failed`: red edge, announced at once.
   */
  readonly tone: 'done' | 'info' | 'failed';
  readonly text: string;
  /** A button: `Undo` with the key U (10 s), or another label such as `Try again`. */
  readonly action: {
    readonly label: string;
    readonly key: string | null;
    readonly run: () => void;
  } | null;
  /** 0: it stays until it is dismissed. */
  readonly lastsMs: number;
}

const DONE_MS = 3_500;
const INFO_MS = 5_000;
const FAILED_MS = 5_000;
const UNDO_MS = 10_000;
const MAX_SHOWN = 4;
const FAILURES = 3;

let shown: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

/** Shows a success, such as `Command copied`. */
export const showSuccess = (text: string): void =>
  add({ tone: 'done', text, action: null, lastsMs: DONE_MS });

/**
 * Shows information, such as `Sending the report`. With `lastsMs` 0 it stays until it is dismissed.
 */
export const showInfo = (text: string, lastsMs = INFO_MS): void =>
  add({ tone: 'info', text, action: null, lastsMs });

/** Shows a success with undo for 10 s, by the button or the key U. */
export const showWithUndo = (text: string, undo: () => void): void =>
  add({ tone: 'done', text, action: { label: t.undo, key: 'U', run: undo }, lastsMs: UNDO_MS });

/**
 * Shows a failure with a message of `contract/messages.ts`, and a retry button if `again` is given.
 */
export const showFailure = (text: string, again?: () => void): void =>
  add({
    tone: 'failed',
    text,
    action: again ? { label: t.tryAgain, key: null, run: again } : null,
    lastsMs: again ? UNDO_MS : FAILED_MS,
  });

export function dismissToast(id: number): void {
  shown = shown.filter((toast) => toast.id !== id);
  announce();
}

export function clearToasts(): void {
  shown = [];
  failures = [];
  announce();
}

/**
 * Undoes the newest change that can be undone. Returns whether there was one. `<Toasts />` calls it
 * for the key U.
 */
export function undoNewest(): boolean {
  const last = shown.findLast((toast) => toast.action?.key === 'U');
  if (!last) return false;
  dismissToast(last.id);
  last.action?.run();
  return true;
}

export const toasts = {
  now: (): readonly Toast[] => shown,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};

/** Returns the last failure messages, oldest first. */
export const lastFailures = (): readonly string[] => failures;
let failures: readonly string[] = [];

function add(toast: Omit<Toast, 'id'>): void {
  count += 1;
  if (toast.tone === 'failed') failures = [...failures, toast.text].slice(-FAILURES);
  shown = [...shown, { ...toast, id: count }].slice(-MAX_SHOWN);
  announce();
}

const announce = (): void => listeners.forEach((listener) => listener());
