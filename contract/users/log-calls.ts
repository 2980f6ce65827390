import * as v from 'valibot';
import { call } from '../call.ts';
import { anyId, moment, PAGE, pageOf, words } from '../paging.ts';

const who = v.nullable(
  v.object({ _id: v.string(), username: v.nullable(v.string()), name: v.nullable(v.string()) }),
);

/**
 * One line of the record of accounts. `what` is its kind, `words` says it. `user`: whom it
 * concerns; `actor`: who did it. `acting`: as another.
 */
export const LogLineSchema = v.object({
  _id: v.string(),
  at: v.number(),
  what: v.string(),
  words: v.string(),
  user: who,
  actor: who,
  acting: v.boolean(),
  ip: v.string(),
  agent: v.string(),
});
export type LogLine = v.InferOutput<typeof LogLineSchema>;

/** `user`: concerned or acting. `what`: a kind. `text`: in names, addresses and the words. */
const QUERY = {
  from: v.optional(moment),
  to: v.optional(moment),
  user: v.optional(anyId),
  what: v.optional(v.pipe(v.string(), v.maxLength(64))),
  text: words,
};

export const logCalls = {
  listUserLogs: call({
    method: 'GET',
    path: 'monitoring/reporting/users/logs',
    summary: 'The record of accounts, newest first: who did what for whom, when and from where.',
    input: v.strictObject({ ...QUERY, ...PAGE }),
    output: v.object({
      ...pageOf(LogLineSchema).entries,
      kinds: v.array(v.object({ what: v.string(), words: v.string() })),
    }),
    gate: 'monitoring.userLogs',
    failures: [],
  }),
  exportUserLogs: call({
    method: 'GET',
    path: 'monitoring/reporting/users/logs/export',
    summary: 'The same as a CSV file, 50,000 lines at most.',
    input: v.strictObject(QUERY),
    output: 'bytes',
    gate: 'monitoring.userLogs',
    failures: [],
  }),
} as const;
