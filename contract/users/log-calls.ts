import * as v from 'valibot';
import { call } from '../call.ts';
import { anyUserId, moment, PAGE, getPage, words } from '../paging.ts';

const who = v.nullable(
  v.object({ _id: v.string(), username: v.nullable(v.string()), name: v.nullable(v.string()) }),
);

const items = v.number();
/** How a restore, or its undo, ended. `organization`: its name, if the caller may see it. */
const restoreEnd = v.object({
  organization: v.nullable(v.string()),
  kind: v.picklist(['restore', 'undo']),
  result: v.picklist(['success', 'warning', 'failed', 'cancelled']),
  restored: items,
  merged: items,
  skipped: items,
  failed: items,
});

/**
 * One line of the user log. `what` is its kind and `words` describes it. `user`: who is affected;
 * `actor`: who did it. `isImpersonated`: as another user; `acting` is its former name,
 * until the next version. `restore`: of a restore that has ended.
 */
export const LogLineSchema = v.object({
  _id: v.string(),
  at: v.number(),
  what: v.string(),
  words: v.string(),
  user: who,
  actor: who,
  isImpersonated: v.boolean(),
  acting: v.boolean(),
  ip: v.string(),
  agent: v.string(),
  restore: v.optional(restoreEnd),
});
export type UserLogLine = v.InferOutput<typeof LogLineSchema>;

/**
 * `user`: the affected or the acting user. `what`: a kind. `text`: searched in names, addresses and
 * descriptions.
 */
const QUERY = {
  from: v.optional(moment),
  to: v.optional(moment),
  user: v.optional(anyUserId),
  what: v.optional(v.pipe(v.string(), v.maxLength(64))),
  text: words,
};

export const logCalls = {
  listUserLogs: call({
    method: 'GET',
    path: 'monitoring/reporting/users/logs',
    summary: 'Lists the user log, newest first: who did what to whom, when and from where.',
    input: v.strictObject({ ...QUERY, ...PAGE }),
    output: v.object({
      ...getPage(LogLineSchema).entries,
      kinds: v.array(v.object({ what: v.string(), words: v.string() })),
    }),
    gate: 'monitoring.userLogs',
    failures: [],
  }),
  exportUserLogs: call({
    method: 'GET',
    path: 'monitoring/reporting/users/logs/export',
    summary: 'Exports the same lines as a CSV file, at most 50,000.',
    input: v.strictObject(QUERY),
    output: 'bytes',
    gate: 'monitoring.userLogs',
    failures: [],
  }),
} as const;
