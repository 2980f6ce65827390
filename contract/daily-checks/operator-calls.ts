import type { KeyId } from '../ids.ts';
import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { shiftFields } from './hand-over.ts';
import { viewFields } from './saved-views.ts';
import { JOB_TYPES, SOURCES } from '../runs/vocabulary.ts';

/** A moment in the API's format: `YYYY-MM-DDTHH:mm:ss.SSSZ`, or any ISO format with a zone. */
const moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => Date.parse(text)),
);
const whole = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number));
const uid = v.pipe(v.string(), v.minLength(1), v.maxLength(300));
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(300));
const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);

/**
 * `key`: the connection of the job. Required if two connections have a job with this id; otherwise
 * the call fails with a conflict.
 */
const ofJob = { jobInstanceUid: uid, key: v.optional(uuidSchema<KeyId>()) };
const done = v.object({ seq: v.number() });

const ignoredOut = orNull(v.object({ by: v.string(), at: v.number(), until: orNull(v.number()) }));
/**
 * `lastSeenAt` is `seenAt` in the API's date format. `ignoredUntil` is the end of `ignored`; null
 * if it has none.
 */
export const computerOut = v.object({
  _id: v.string(),
  company: v.number(),
  companyName: v.string(),
  hostName: v.string(),
  os: orNull(v.string()),
  osType: orNull(v.string()),
  ipAddresses: v.array(v.string()),
  firstSeenAt: v.number(),
  seenAt: v.number(),
  lastSeenAt: v.string(),
  /** Jobs of the same company whose computer or server has this name. */
  jobs: v.number(),
  note: orNull(v.object({ content: v.string(), by: v.string(), at: v.number() })),
  ignored: ignoredOut,
  ignoredUntil: orNull(v.string()),
});
export type ComputerOut = v.InferOutput<typeof computerOut>;

export const repositoryOut = v.object({
  _id: v.string(),
  company: v.number(),
  companyName: v.string(),
  name: v.string(),
  type: orNull(v.string()),
  hostName: orNull(v.string()),
  path: orNull(v.string()),
  capacityBytes: orNull(v.number()),
  freeBytes: orNull(v.number()),
  usedBytes: orNull(v.number()),
  sampledAt: v.number(),
  days: v.array(
    v.object({ day: v.string(), usedBytes: orNull(v.number()), capacityBytes: orNull(v.number()) }),
  ),
  /**
   * When the repository will be full if it keeps growing at its current rate. Null if it doesn't
   * grow or too little is known.
   */
  fullAt: orNull(v.number()),
});
export type RepositoryOut = v.InferOutput<typeof repositoryOut>;

/**
 * One row of the evidence: one action on one problem, or on a job that was ignored. `who`: a name.
 * The server's clock ends the ignoring of a job that ran again.
 */
export const evidenceOut = v.object({
  at: v.number(),
  who: v.string(),
  what: v.picklist([
    'reviewed',
    'reopened',
    'snoozed',
    'unsnoozed',
    'noted',
    'ticketLinked',
    'markedNormal',
    'ignored',
    'unignored',
  ]),
  company: v.string(),
  job: v.string(),
  computer: v.string(),
  source: v.picklist(SOURCES),
  type: v.picklist(JOB_TYPES),
  /**
   * The state of the problem at that time. `Disabled` if the job was switched off. Empty, without a
   * cause, if an ignored job had no problem then.
   */
  state: v.string(),
  cause: v.string(),
  /**
   * Number of runs that the problem has in total now; the number at the time of the action isn't
   * stored. 0 if there was no problem.
   */
  runs: v.number(),
  comment: orNull(v.string()),
  until: orNull(v.number()),
});
export type Evidence = v.InferOutput<typeof evidenceOut>;

export const dailyCheckCalls = {
  ignoreMissed: call({
    method: 'POST',
    path: 'monitoring/backoffice/jobs/didnt-run/{jobInstanceUid}/ignore',
    summary: 'Ignores a job that did not run: no result is expected until then.',
    input: v.strictObject({ ...ofJob, ignoredUntil: moment }),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found', 'conflict'],
  }),
  unignoreMissed: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/jobs/didnt-run/{jobInstanceUid}/ignore',
    summary: 'Expects results of the job again.',
    input: v.strictObject(ofJob),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found', 'conflict'],
  }),
  ignoreDisabled: call({
    method: 'POST',
    path: 'monitoring/backoffice/jobs/disabled/{jobInstanceUid}/ignore',
    summary: 'Ignores a disabled job until it is enabled again.',
    input: v.strictObject(ofJob),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found', 'conflict'],
  }),
  unignoreDisabled: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/jobs/disabled/{jobInstanceUid}/ignore',
    summary: 'Lists the disabled job for review again.',
    input: v.strictObject(ofJob),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found', 'conflict'],
  }),

  listComputers: call({
    method: 'GET',
    path: 'monitoring/reporting/discovery/computers',
    summary:
      'Lists the computers seen in a period (start inclusive, end exclusive), with the number of jobs of each.',
    input: v.strictObject({ from: v.optional(moment), to: v.optional(moment) }),
    output: v.array(computerOut),
    gate: 'monitoring.daily-checks',
    failures: [],
  }),
  listComputersNow: call({
    method: 'GET',
    path: 'monitoring/reporting/discovery/computers/current',
    summary: 'Lists the computers seen within the last seven days.',
    input: v.strictObject({}),
    output: v.array(computerOut),
    gate: 'monitoring.daily-checks',
    failures: [],
  }),
  noteComputer: call({
    method: 'POST',
    path: 'monitoring/backoffice/computers/{id}/note',
    summary: 'Sets the note of a computer; an empty note deletes it.',
    input: v.strictObject({
      id,
      note: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars)),
    }),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found'],
  }),
  ignoreComputer: call({
    method: 'POST',
    path: 'monitoring/backoffice/computers/{id}/ignore',
    summary: 'Marks a computer as intentionally without jobs.',
    input: v.strictObject({ id, ignoredUntil: v.optional(moment) }),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found'],
  }),
  unignoreComputer: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/computers/{id}/ignore',
    summary: 'Lists the computer as unprotected again.',
    input: v.strictObject({ id }),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found'],
  }),
  listRepositories: call({
    method: 'GET',
    path: 'monitoring/reporting/repositories',
    summary: 'Lists the repositories with their daily usage and when each will be full.',
    input: v.strictObject({}),
    output: v.array(repositoryOut),
    gate: 'monitoring.repositories',
    failures: [],
  }),

  saveView: call({
    method: 'PUT',
    path: 'monitoring/views/{id}',
    summary: 'Saves a named view of a list. Only its owner can change it.',
    input: v.strictObject(viewFields),
    output: done,
    gate: 'monitoring.daily-checks',
    failures: ['conflict', 'forbidden', 'key-reused', 'out-of-order'],
    offline: 'The last change to arrive wins.',
  }),
  removeView: call({
    method: 'DELETE',
    path: 'monitoring/views/{id}',
    summary: 'Deletes a saved view.',
    input: v.strictObject({ id: viewFields.id }),
    output: done,
    gate: 'monitoring.daily-checks',
    failures: ['not-found', 'forbidden', 'key-reused', 'out-of-order'],
    offline: 'Deleting a deleted view has no effect.',
  }),
  endShift: call({
    method: 'POST',
    path: 'monitoring/hand-overs',
    summary: 'Hands over a shift: what is done, what is open, and which snoozes end soon.',
    input: v.strictObject(shiftFields),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['key-reused', 'out-of-order'],
    offline: 'All hand-overs are stored; the newest is shown.',
  }),
  listEvidence: call({
    method: 'GET',
    path: 'monitoring/reporting/evidence',
    summary:
      'Lists who did what to which problem, when and in which state, newest first: the record of the daily review.',
    input: v.strictObject({
      from: moment,
      to: moment,
      company: v.optional(whole),
      /** The position at which the previous page ended. */
      before: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}(?:\.\d{1,6})?$/))),
    }),
    output: v.object({ rows: v.array(evidenceOut), before: orNull(v.string()) }),
    gate: 'monitoring.daily-checks',
    failures: ['bad-input'],
  }),
} as const;
