import * as v from 'valibot';
import type { Ms } from '#contract/ids.ts';

/** A property of another form is taken as missing: one odd file must not stop the others. */
export const maybe = <S extends v.GenericSchema>(schema: S) =>
  v.fallback(v.nullish(schema), undefined);

export function parseGraphTime(date: string | null | undefined): Ms | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : at;
}
