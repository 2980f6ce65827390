import * as v from 'valibot';
import { call } from '../call.ts';
import { moment } from '../paging.ts';
import { RUN_STATES } from '../runs/query.ts';

export const SEARCH_KINDS = [
  'companies',
  'jobs',
  'computers',
  'users',
  'repositories',
  'tickets',
  'rules',
  'hints',
  'results',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

const kinds = v.pipe(
  v.string(),
  v.regex(new RegExp(`^(?:${SEARCH_KINDS.join('|')})(?:,(?:${SEARCH_KINDS.join('|')}))*$`)),
  v.description('One or more kinds, separated by commas.'),
  v.transform((text): ReadonlySet<SearchKind> => {
    const named = text.split(',');
    return new Set(SEARCH_KINDS.filter((kind) => named.includes(kind)));
  }),
);
const ofCompany = { company: v.number(), companyName: v.string() };
const job = v.object({ n: v.number(), name: v.string(), computer: v.string(), ...ofCompany });
const computer = v.object({ _id: v.string(), name: v.string(), seenAt: v.number(), ...ofCompany });
const repository = v.object({
  _id: v.string(),
  name: v.string(),
  hostName: v.nullable(v.string()),
  ...ofCompany,
});
const ticket = v.object({
  _id: v.string(),
  number: v.string(),
  subject: v.string(),
  open: v.boolean(),
  ...ofCompany,
});
const named = v.object({ _id: v.string(), name: v.string() });
/** `message`: the message of the result. Times are in ms. */
const result = v.object({
  n: v.number(),
  job: v.number(),
  jobName: v.string(),
  computer: v.string(),
  ...ofCompany,
  startedAt: v.number(),
  state: v.picklist(RUN_STATES),
  message: v.nullable(v.string()),
});
export type FoundResult = v.InferOutput<typeof result>;

/**
 * Null: not requested, or the caller has no access. `more`: there are further matches, or the time
 * limit was reached.
 */
const part = <S extends v.GenericSchema>(row: S) =>
  v.nullable(v.object({ rows: v.array(row), more: v.boolean() }));

const foundOut = v.object({
  companies: part(v.object({ n: v.number(), _id: v.string(), name: v.string() })),
  jobs: part(job),
  computers: part(computer),
  users: part(v.object({ _id: v.string(), username: v.string(), name: v.string() })),
  repositories: part(repository),
  tickets: part(ticket),
  rules: part(named),
  hints: part(named),
  results: part(result),
});
export type FoundOut = v.InferOutput<typeof foundOut>;

const limit = v.pipe(
  v.string(),
  v.regex(/^\d{1,2}$/),
  v.transform(Number),
  v.minValue(1),
  v.maxValue(50),
);

export const searchCalls = {
  search: call({
    method: 'GET',
    path: 'monitoring/search',
    summary:
      'Searches for names that contain all words, in each kind that the caller can access. Results match by the names of their job and the words of their cause. They cover the 12 months before the time that devices store, unless a period is given or the text contains a date.',
    input: v.strictObject({
      text: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
      kinds: v.optional(kinds),
      limit: v.optional(limit),
      from: v.optional(moment),
      to: v.optional(moment),
    }),
    output: foundOut,
    gate: 'signed-in',
    failures: ['bad-input'],
    newestOnly: true,
  }),
} as const;
