import type * as v from 'valibot';

/** The type of a row, derived from its schema: rows are immutable values. */
export type RowOf<S extends v.GenericSchema> = DeepReadonly<v.InferOutput<S>>;
/** Ids and units (`ids.ts`) look like objects to the compiler, so they are kept as they are. */
type DeepReadonly<T> = T extends string | number
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
