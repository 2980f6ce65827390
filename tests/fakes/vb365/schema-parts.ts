import * as v from 'valibot';

// Types and forms that the OpenAPI documents of both versions share.

export const uid = v.pipe(v.string(), v.uuid());
export const text = v.string();
export const int32 = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(-(2 ** 31)),
  v.maxValue(2 ** 31 - 1),
);
export const int64 = v.pipe(v.number(), v.integer());
export const flag = v.boolean();
export const time = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z$/));
export const links = v.record(v.string(), v.strictObject({ href: text }));
export const some = <E extends v.ObjectEntries>(entries: E) =>
  v.partial(v.strictObject({ ...entries, _links: links }));
