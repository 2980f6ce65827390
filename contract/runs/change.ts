import * as v from 'valibot';
import type { NewEvent, Event } from '../events.ts';
import type { Failure } from '../errors.ts';
import { renameChange, withFormerNames } from '../former-fields.ts';
import type { CompanyN, Ms, ProblemN, RunN, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import type { Anomaly, ProblemRow, RunRow } from './rows.ts';
import { cutText } from '../stored-text.ts';
import { nameText } from '../text-schema.ts';

/**
 * A change that a person makes to results. It names runs and changes the problems of those runs
 * (RUN-6). Conflicts between two devices (OUT-6): the first review of a problem wins, and the
 * second is refused with the name of the first reviewer. Of two notes or two snoozes the last to
 * arrive wins, and the user whose change was replaced is notified.
 */
const CurrentChangeSchema = v.variant('kind', [
  v.strictObject({
    kind: v.literal('review'),
    comment: v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.noteChars))),
  }),
  v.strictObject({ kind: v.literal('reopen') }),
  v.strictObject({
    kind: v.literal('note'),
    content: v.nullable(
      v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.noteChars)),
    ),
  }),
  v.strictObject({
    kind: v.literal('snooze'),
    until: v.pipe(v.number(), v.safeInteger()),
    reason: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.reasonChars)),
  }),
  v.strictObject({ kind: v.literal('ticket'), ticket: v.nullable(nameText(LIMITS.ticketChars)) }),
  v.strictObject({ kind: v.literal('unsnooze') }),
  v.strictObject({ kind: v.literal('not-anomaly') }),
]);
export const ChangeSchema = withFormerNames(CurrentChangeSchema, renameChange);
export type Change = v.InferOutput<typeof ChangeSchema>;

const noteText = v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars));
/** A moment in the API's format: `YYYY-MM-DDTHH:mm:ss.SSSZ`, or any ISO format with a zone. */
const moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => Date.parse(text)),
  v.safeInteger(),
);

/**
 * The input of a change: a change by name, or fields of a job execution as the API returns them.
 * `note` is text or `{ content }`; empty or null deletes it. `ignoredUntil` is when a snooze ends;
 * null ends it now.
 */
export const changeFields = {
  change: v.optional(ChangeSchema),
  note: v.optional(v.nullable(v.union([noteText, v.object({ content: noteText })]))),
  ignoredUntil: v.optional(v.nullable(moment)),
  ignoredReason: v.optional(
    v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.reasonChars)),
  ),
};
type RequestedChange = {
  readonly [K in keyof typeof changeFields]?: v.InferOutput<(typeof changeFields)[K]>;
};

/**
 * Returns the requested changes in the order in which they apply. A snooze without a reason uses
 * the note as its reason.
 */
export function getChanges({
  change,
  note,
  ignoredUntil,
  ignoredReason,
}: RequestedChange): readonly Change[] {
  const content = (typeof note === 'object' ? note?.content : note) || null;
  return [
    ...(change === undefined ? [] : [change]),
    ...(note === undefined ? [] : [{ kind: 'note' as const, content }]),
    ...(ignoredUntil === undefined
      ? []
      : [
          ignoredUntil === null
            ? { kind: 'unsnooze' as const }
            : {
                kind: 'snooze' as const,
                until: ignoredUntil,
                reason:
                  ignoredReason ??
                  (cutText(content ?? '', LIMITS.reasonChars).trim() || MESSAGES.noReasonGiven),
              },
        ]),
  ];
}

/**
 * What `decideChange` needs to know about a run. `problem` is null if the run has none. Runs that
 * are unknown or out of scope are not included.
 */
export interface Target {
  readonly run: Pick<RunRow, 'n' | 'job' | 'company'> & { readonly anomaly?: readonly Anomaly[] };
  readonly problem: ProblemRow | null;
}

export interface RefusedChange {
  readonly run: RunN;
  readonly failure: Failure;
}
export interface DecidedChange {
  readonly drafts: readonly NewEvent[];
  readonly refused: readonly RefusedChange[];
}

/**
 * Decides the events and refusals of a change. Devices run it to show the effect immediately, and
 * the server runs it to commit. `getName` returns a person's name for a refusal. It creates one
 * event per company, so that a device only receives companies that its user may see.
 */
export function decideChange(
  change: Change,
  request: readonly RunN[],
  targets: ReadonlyMap<RunN, Target>,
  by: UserId,
  at: Ms,
  getName: (id: UserId) => string,
): DecidedChange {
  const refused: RefusedChange[] = [];
  const problems = new Map<CompanyN, Set<ProblemN>>();
  const drafts: NewEvent[] = [];
  for (const run of request) {
    const target = targets.get(run);
    const failure = target
      ? refusal(change, target, by, at, getName)
      : { kind: 'not-found' as const, message: MESSAGES.notFound };
    if (failure) {
      refused.push({ run, failure });
      continue;
    }
    if (!target?.problem) continue;
    const { company } = target.run;
    problems.set(company, (problems.get(company) ?? new Set()).add(target.problem.n));
    if (change.kind === 'not-anomaly') {
      for (const { measure, value } of target.run.anomaly ?? []) {
        drafts.push({
          event: { type: 'job.calibrated@1', data: { n: target.run.job, measure, value } },
          company,
          entity: `job:${target.run.job}`,
        });
      }
    }
  }
  for (const [company, set] of problems) {
    const list = [...set];
    drafts.push({
      event: getEvent(change, list),
      company,
      entity: list.length === 1 ? `problem:${list[0]}` : 'problem:*',
    });
  }
  return { drafts, refused };
}

function refusal(
  change: Change,
  { problem }: Target,
  by: UserId,
  at: Ms,
  getName: (id: UserId) => string,
): Failure | null {
  if (!problem) return { kind: 'conflict', message: MESSAGES.nothingToReview };
  if (change.kind === 'review' && problem.review && problem.review.by !== by) {
    return {
      kind: 'conflict',
      message: MESSAGES.alreadyReviewed({ user: getName(problem.review.by) }),
    };
  }
  if (change.kind === 'snooze') {
    if (problem.closedAt !== null) return { kind: 'conflict', message: MESSAGES.problemClosed };
    if (change.until <= at) return bad('change.until', MESSAGES.snoozeTooShort);
    if (change.until > at + LIMITS.snoozeMaxMs) return bad('change.until', MESSAGES.snoozeTooLong);
  }
  return null;
}

const bad = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});

function getEvent(change: Change, problems: number[]): Event {
  switch (change.kind) {
    case 'review':
      return { type: 'problem.reviewed@1', data: { problems, comment: change.comment } };
    case 'not-anomaly':
      return { type: 'problem.reviewed@1', data: { problems, comment: null } };
    case 'reopen':
      return { type: 'problem.reopened@1', data: { problems } };
    case 'note':
      return { type: 'problem.noted@1', data: { problems, content: change.content } };
    case 'snooze':
      return {
        type: 'problem.snoozed@1',
        data: { problems, until: change.until, reason: change.reason },
      };
    case 'ticket':
      return { type: 'problem.ticketSet@1', data: { problems, ticket: change.ticket } };
    case 'unsnooze':
      return { type: 'problem.unsnoozed@1', data: { problems } };
  }
}
