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
  v.description('Some of the kinds, with commas.'),
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
/** `message`: what was said of it. Times in ms. */
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

/** Null: not asked for, or not for who asks. `more`: there are others, or time was short. */
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
      'What has all of these words in its names, of each kind that the asker may open. Results: by the names of their job and the words of their cause, those before the time that devices keep (12 months of it) unless a time is given or a day stands in the text.',
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
