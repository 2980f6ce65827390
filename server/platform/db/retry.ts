import type { Clock } from '../app-context.ts';

/** Why a transaction may be retried. It had no effect. */
export type Passing = 'serialization' | 'deadlock' | 'connection' | 'resources';
/**
 * `unknown`: the connection was lost while committing; the caller asks again with the same key.
 * `disk-full`: not retried at once; if the space ran out while committing, the transaction may have
 * taken effect. With any other kind it had no effect.
 */
export class StoreError extends Error {
  readonly kind: Passing | 'disk-full' | 'unknown';
  constructor(kind: StoreError['kind'], cause: unknown) {
    super(
      kind === 'unknown'
        ? 'The database was lost while committing: the outcome is not known.'
        : `The database could not do it now (${kind}).`,
      { cause },
    );
    this.name = 'StoreError';
    this.kind = kind;
  }
}

const WAITS_MS = [10, 30, 100, 300] as const;

/**
 * Retries `attempt` after a transient failure. `committing()` returns whether the failed attempt
 * had reached its commit.
 * @throws StoreError after the last retry, or at once if a retry is unsafe.
 */
export async function retrying<T>(
  clock: Clock,
  attempt: () => Promise<T>,
  committing: () => boolean,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (isDiskFull(error)) throw new StoreError('disk-full', error);
      const passing = getTransientError(error);
      if (passing === null) throw error;
      if (passing === 'connection' && committing()) throw new StoreError('unknown', error);
      const waitMs = WAITS_MS[tries];
      if (waitMs === undefined) throw new StoreError(passing, error);
      await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
    }
  }
}

/** Returns the kind of a transient failure; null if it is none. */
export function getTransientError(error: unknown): Passing | null {
  if (!(error instanceof Error)) return null;
  const code = getCode(error);
  if (code === '40001') return 'serialization';
  if (code === '40P01') return 'deadlock';
  if (
    LOST.has(code) ||
    code.startsWith('08') ||
    /^(connection terminated|client has encountered a connection error|timeout exceeded when trying to connect)/i.test(
      error.message,
    )
  )
    return 'connection';
  // Class 53: insufficient resources, such as memory or connections.
  if (code.startsWith('53')) return 'resources';
  return error.cause === undefined ? null : getTransientError(error.cause);
}

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (FULL.has(getCode(error)) || isDiskFull(error.cause));

const getCode = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';

/** 57P01 to 57P03: the server is stopping or starting. */
const LOST = new Set([
  '57P01',
  '57P02',
  '57P03',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
]);
/** 53100: PostgreSQL's disk_full. The others: the system's codes in Node. */
const FULL = new Set(['53100', 'ENOSPC', 'EDQUOT']);
