import * as v from 'valibot';
import { type Draft, type Event, EventSchema } from '#contract/events.ts';

/** A draft that its schema does not know: a bug of who made it, never of who sent the input. */
export class BadDraft extends Error {
  constructor(type: string, issues: readonly v.BaseIssue<unknown>[]) {
    super(`Not an event of the contract: ${type}: ${issues.map((one) => `${v.getDotPath(one) ?? ''} ${one.message}`).join('; ')}`);
    this.name = 'BadDraft';
  }
}

/** What passes into the log, checked by the schema of its type (LOG-1), and fit to be kept as text. */
export function checked(drafts: readonly Draft[]): readonly Draft[] {
  return drafts.map((draft) => {
    const schema = SCHEMAS.get(draft.event.type);
    if (!schema) throw new BadDraft(draft.event.type, []);
    const result = v.safeParse(schema, draft.event);
    if (!result.success) throw new BadDraft(draft.event.type, result.issues);
    const kept: Draft = { event: result.output, company: draft.company, entity: draft.entity };
    return UNFIT.test(JSON.stringify(kept)) ? (mended(kept) as Draft) : kept;
  });
}

/** By type, so that an event is not tried against every schema. */
const SCHEMAS: ReadonlyMap<string, v.GenericSchema<unknown, Event>> = new Map(
  EventSchema.options.map((option) => [option.entries.type.literal, option as unknown as v.GenericSchema<unknown, Event>]),
);

/** PostgreSQL keeps neither U+0000 nor half a surrogate pair. `JSON.stringify` writes both as escapes. */
const UNFIT = /\\u(?:0000|d[89a-f])/i;

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\u{FFFD}').toWellFormed();
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [mended(key), mended(one)]));
}
