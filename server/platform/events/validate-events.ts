import * as v from 'valibot';
import { type NewEvent, type Event, EventSchema } from '#contract/events.ts';
import { type FastValidator, makeFastValidator } from '#contract/fast-validate.ts';
import { storable } from '#contract/stored-text.ts';

/** An event that fails its schema: a bug in the code that made it, never invalid input. */
export class BadDraft extends Error {
  constructor(type: string, issues: readonly v.BaseIssue<unknown>[]) {
    super(
      `Not an event of the contract: ${type}: ${issues.map((one) => `${v.getDotPath(one) ?? ''} ${one.message}`).join('; ')}`,
    );
    this.name = 'BadDraft';
  }
}

/** An event that its schema accepts, and its data as JSON that can be stored. */
export interface ValidEvent {
  readonly draft: NewEvent;
  readonly text: string;
}

/** Checks an event by the schema of its type (LOG-1), and makes its text storable. */
export function validateEvent({ event: checked, company, entity }: NewEvent): ValidEvent {
  const event = valid(checked);
  const text = JSON.stringify(event.data);
  const draft: NewEvent = { event, company, entity };
  if (!unfit(text) && !unfit(JSON.stringify(entity))) return { draft, text };
  const stored = mended(draft) as NewEvent;
  return { draft: stored, text: JSON.stringify(stored.event.data) };
}

function valid(event: Event): Event {
  const gate = GATES.get(event.type);
  if (!gate) throw new BadDraft(event.type, []);
  if (gate.quick(event)) return event;
  const result = v.safeParse(gate.schema, event);
  if (!result.success) throw new BadDraft(event.type, result.issues);
  return result.output;
}

/** By type, so that an event is not tried against every schema. */
const GATES: ReadonlyMap<
  string,
  { readonly schema: v.GenericSchema<unknown, Event>; readonly quick: FastValidator }
> = new Map(
  EventSchema.options.map((option) => {
    const schema = option as unknown as v.GenericSchema<unknown, Event>;
    return [option.entries.type.literal, { schema, quick: makeFastValidator(schema) }];
  }),
);

/**
 * PostgreSQL stores neither U+0000 nor lone surrogates. `JSON.stringify` writes both as escapes.
 */
const UNFIT = /\\u(?:0000|d[89a-f])/i;
const unfit = (json: string): boolean => json.includes('\\u') && UNFIT.test(json);

function mended(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [storable(key), mended(one)]),
  );
}
