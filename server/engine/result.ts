import type { EngineError, EngineErrorKind, EngineResult } from '#contract/engine/engine.ts';

/** Expected failures of an engine are values. Bugs throw. */
export interface Failed {
  readonly ok: false;
  readonly error: EngineError;
}

export const ok = <T>(value: T): EngineResult<T> => ({ ok: true, value });
export const done: { readonly ok: true; readonly value: void } = { ok: true, value: undefined };
/** The end of a search that found nothing. */
export const nothing: { readonly ok: true; readonly value: null } = { ok: true, value: null };
export const failed = (
  kind: EngineErrorKind,
  message: string,
  more: Omit<EngineError, 'kind' | 'message'> = {},
): Failed => ({ ok: false, error: { kind, message, ...more } });
