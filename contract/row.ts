import type * as v from 'valibot';

/** The type of a row, derived from its schema: rows are values that nobody changes. */
export type RowOf<S extends v.GenericSchema> = DeepReadonly<v.InferOutput<S>>;
type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
