import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { shiftFields } from './hand-over.ts';
import { viewFields } from './saved-views.ts';
import { JOB_TYPES, SOURCES } from '../runs/vocabulary.ts';

/** A moment as the API writes it: `YYYY-MM-DDTHH:mm:ss.SSSZ`, or any ISO form with a zone. */
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
 * `key`: the connection, where two of them name a job alike; without it such a job is a conflict.
 */
const ofJob = { jobInstanceUid: uid, key: v.optional(v.pipe(v.string(), v.uuid())) };
const done = v.object({ seq: v.number() });

const ignoredOut = orNull(v.object({ by: v.string(), at: v.number(), until: orNull(v.number()) }));
/**
 * `lastSeenAt`: `seenAt` as the API's datetime. `ignoredUntil`: the end of `ignored`, null where it
 * has none.
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
  /** Jobs whose computer or server has this name, in the same company. */
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
   * When it is full if it goes on as in its days; null where it does not grow or too little is
   * known.
   */
  fullAt: orNull(v.number()),
});
export type RepositoryOut = v.InferOutput<typeof repositoryOut>;

/**
 * One line of the evidence: one deed on one problem, or on a job that was ignored. `who`: a name;
 * the clock heeds a job that ran again.
 */
export const evidenceOut = v.object({
  at: v.number(),
  who: v.string(),
  what: v.picklist([
    'reviewed',
    'reopened',
    'snoozed',
    'woken',
    'noted',
    'ticketed',
    'called usual',
    'ignored',
    'heeded',
  ]),
  company: v.string(),
  job: v.string(),
  computer: v.string(),
  source: v.picklist(SOURCES),
  type: v.picklist(JOB_TYPES),
  /**
   * What was wrong when it was done. `Disabled` where it was that the job is switched off; empty,
   * with no cause, where an ignored job had no problem then.
   */
  state: v.string(),
  cause: v.string(),
  /**
   * Runs that the problem has by now, all in all: how many it had when it was done is not kept. 0
   * where there was no problem.
   */
  runs: v.number(),
  comment: orNull(v.string()),
  until: orNull(v.number()),
});
export type Evidence = v.InferOutput<typeof evidenceOut>;

export const deskCalls = {
  ignoreMissed: call({
    method: 'POST',
    path: 'monitoring/backoffice/jobs/didnt-run/{jobInstanceUid}/ignore',
    summary: 'No result is expected of a job until then.',
    input: v.strictObject({ ...ofJob, ignoredUntil: moment }),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found', 'conflict'],
  }),
  heedMissed: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/jobs/didnt-run/{jobInstanceUid}/ignore',
    summary: 'Results are expected of the job again.',
    input: v.strictObject(ofJob),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found', 'conflict'],
  }),
  ignoreDisabled: call({
    method: 'POST',
    path: 'monitoring/backoffice/jobs/disabled/{jobInstanceUid}/ignore',
    summary: 'That a job is switched off is meant, until it is switched on.',
    input: v.strictObject(ofJob),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found', 'conflict'],
  }),
  heedDisabled: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/jobs/disabled/{jobInstanceUid}/ignore',
    summary: 'The disabled job is to be looked at again.',
    input: v.strictObject(ofJob),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found', 'conflict'],
  }),

  listComputers: call({
    method: 'GET',
    path: 'monitoring/reporting/discovery/computers',
    summary:
      'Computers that were seen in a time (from its start to before its end), with how many jobs each has.',
    input: v.strictObject({ from: v.optional(moment), to: v.optional(moment) }),
    output: v.array(computerOut),
    gate: 'monitoring.daily-checks',
    failures: [],
  }),
  listComputersNow: call({
    method: 'GET',
    path: 'monitoring/reporting/discovery/computers/current',
    summary: 'Computers that were seen within the last seven days.',
    input: v.strictObject({}),
    output: v.array(computerOut),
    gate: 'monitoring.daily-checks',
    failures: [],
  }),
  noteComputer: call({
    method: 'POST',
    path: 'monitoring/backoffice/computers/{id}/note',
    summary: 'A note on a computer; an empty one takes it away.',
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
    summary: 'That a computer has no job is meant.',
    input: v.strictObject({ id, ignoredUntil: v.optional(moment) }),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found'],
  }),
  heedComputer: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/computers/{id}/ignore',
    summary: 'The computer is listed again.',
    input: v.strictObject({ id }),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['not-found'],
  }),
  listRepositories: call({
    method: 'GET',
    path: 'monitoring/reporting/repositories',
    summary: 'Repositories with their days and when each will be full.',
    input: v.strictObject({}),
    output: v.array(repositoryOut),
    gate: 'monitoring.repositories',
    failures: [],
  }),

  saveView: call({
    method: 'PUT',
    path: 'monitoring/views/{id}',
    summary: 'Gives a list a name. Only its owner changes one.',
    input: v.strictObject(viewFields),
    output: done,
    gate: 'monitoring.daily-checks',
    failures: ['conflict', 'forbidden', 'key-reused', 'out-of-order'],
    offline: 'The later to arrive stands.',
  }),
  removeView: call({
    method: 'DELETE',
    path: 'monitoring/views/{id}',
    summary: 'Takes a named list away.',
    input: v.strictObject({ id: viewFields.id }),
    output: done,
    gate: 'monitoring.daily-checks',
    failures: ['not-found', 'forbidden', 'key-reused', 'out-of-order'],
    offline: 'One that is gone is gone.',
  }),
  endShift: call({
    method: 'POST',
    path: 'monitoring/hand-overs',
    summary: 'Hands the work over: what is done, what is open, which snoozes end soon.',
    input: v.strictObject(shiftFields),
    output: done,
    gate: 'monitoring.job-actions',
    failures: ['key-reused', 'out-of-order'],
    offline: 'Each hand-over stands; the newest is shown.',
  }),
  listEvidence: call({
    method: 'GET',
    path: 'monitoring/reporting/evidence',
    summary:
      'Who did what to which problem, when, in which state, newest first: the record of the daily review.',
    input: v.strictObject({
      from: moment,
      to: moment,
      company: v.optional(whole),
      /** Where the page before ended. */
      before: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}(?:\.\d{1,6})?$/))),
    }),
    output: v.object({ rows: v.array(evidenceOut), before: orNull(v.string()) }),
    gate: 'monitoring.daily-checks',
    failures: ['bad-input'],
  }),
} as const;
