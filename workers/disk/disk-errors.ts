import type { Day } from '#contract/ids.ts';

/**
 * `gone`: compaction or another tab has replaced the requested data, or reloaded: open again.
 * `corrupt`: unreadable; `days` are no longer here and must be fetched again (`addDays` replaces a
 * day).
 */
export class DiskError extends Error {
  readonly kind: 'full' | 'unavailable' | 'corrupt' | 'gone';
  readonly days: readonly Day[];
  constructor(kind: DiskError['kind'], message: string, days: readonly Day[] = []) {
    super(message);
    this.name = 'DiskError';
    this.kind = kind;
    this.days = days;
  }
}

/** Whether the browser has no more space. A put reports it, or the whole transaction on commit. */
export function isQuota(thrown: unknown): boolean {
  return (
    thrown !== null &&
    typeof thrown === 'object' &&
    'name' in thrown &&
    thrown.name === 'QuotaExceededError'
  );
}

/**
 * Turns every storage failure into a `DiskError` of the kind that the caller handles. Our own bugs
 * (a TypeError, a RangeError …) pass unchanged.
 */
export async function withDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toDiskError(thrown);
  }
}

function toDiskError(thrown: unknown): unknown {
  if (thrown instanceof DiskError) return thrown;
  if (isQuota(thrown)) return new DiskError('full', 'The browser has no more room for this site.');
  const name =
    thrown !== null && typeof thrown === 'object' && 'name' in thrown ? String(thrown.name) : '';
  if (BUGS.has(name)) return thrown;
  const message =
    thrown !== null && typeof thrown === 'object' && 'message' in thrown
      ? String(thrown.message)
      : '';
  // A file that the browser stored beside its database is gone: that record is lost, the others are
  // not.
  if (name === 'NotReadableError') return new DiskError('corrupt', `${name}: ${message}`);
  return new DiskError('unavailable', `${name}: ${message}`);
}

const BUGS = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'EvalError',
  'AssertionError',
]);

/** If the disk fails, work continues in memory. Rethrows bugs. */
export function unlessDisk(error: unknown): null {
  if (error instanceof DiskError) return null;
  throw error;
}
