import { SourceError } from '#server/platform/systems/source-error.ts';

/**
 * Whether a server can have done what was asked although it didn't say so: no answer arrived, it can't
 * be read, or it failed while it worked.
 */
export const isLostAnswer = (error: unknown): error is SourceError =>
  error instanceof SourceError &&
  (error.kind === 'unreachable' ||
    (error.status !== null ? error.status >= 500 : error.kind === 'failed'));

/** For data that can be read later: counts an unreachable server as having none. */
export function ignoreSourceError(error: unknown): null {
  if (error instanceof SourceError) return null;
  throw error;
}
