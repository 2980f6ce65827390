import { DiskFault } from '../types.ts';

/**
 * Whether the browser has no more room. A put says so itself, or the whole transaction when it
 * commits.
 */
export function isQuota(thrown: unknown): boolean {
  return (
    thrown !== null &&
    typeof thrown === 'object' &&
    'name' in thrown &&
    thrown.name === 'QuotaExceededError'
  );
}

/**
 * Every failure of storage comes out as a `DiskFault`, the kind that the caller acts by. Bugs of
 * ours (a TypeError, a RangeError …) pass as they are.
 */
export async function faulting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw faultOf(thrown);
  }
}

function faultOf(thrown: unknown): unknown {
  if (thrown instanceof DiskFault) return thrown;
  if (isQuota(thrown)) return new DiskFault('full', 'The browser has no more room for this site.');
  const name =
    thrown !== null && typeof thrown === 'object' && 'name' in thrown ? String(thrown.name) : '';
  if (BUGS.has(name)) return thrown;
  const message =
    thrown !== null && typeof thrown === 'object' && 'message' in thrown
      ? String(thrown.message)
      : '';
  // A file that the browser kept beside its database is gone: that record is lost, the others are
  // not.
  if (name === 'NotReadableError') return new DiskFault('corrupt', `${name}: ${message}`);
  return new DiskFault('unavailable', `${name}: ${message}`);
}

const BUGS = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'EvalError',
  'AssertionError',
]);
