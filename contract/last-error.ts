import * as v from 'valibot';

/** Why the last attempt failed; null if it didn't. `fault`: the former name, until the next version. */
export const lastErrorFields = {
  error: v.nullable(v.string()),
  fault: v.nullable(v.string()),
} as const;

export interface LastError {
  readonly error: string | null;
  readonly fault: string | null;
}
export const getLastError = (error: string | null): LastError => ({ error, fault: error });
