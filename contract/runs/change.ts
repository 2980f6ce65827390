import * as v from 'valibot';
import type { NewEvent, Event } from '../events.ts';
import type { Failure } from '../errors.ts';
import type { CompanyN, Ms, ProblemN, RunN, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import type { Anomaly, ProblemRow, RunRow } from './rows.ts';
import { cutText } from '../stored-text.ts';
import { nameText } from '../text-schema.ts';

/**
 * What a person does to results. Each names runs; what it changes is the problem behind them
 * (RUN-6). Rules for two devices that disagree (OUT-6): the first review of a problem stands and
 * the second is refused with the name of the first; of two notes or two snoozes the later to arrive
 * stands, and the one that lost is told.
 */
export const ChangeSchema = v.variant('is', [
  v.strictObject({
    is: v.literal('review'),
    comment: v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.noteChars))),
  }),
  v.strictObject({ is: v.literal('reopen') }),
  v.strictObject({
    is: v.literal('note'),
    content: v.nullable(
      v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.noteChars)),
    ),
  }),
  v.strictObject({
    is: v.literal('snooze'),
    until: v.pipe(v.number(), v.safeInteger()),
    reason: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.reasonChars)),
  }),
  v.strictObject({ is: v.literal('ticket'), ticket: v.nullable(nameText(LIMITS.ticketChars)) }),
  v.strictObject({ is: v.literal('wake') }),
  v.strictObject({ is: v.literal('not-anomaly') }),
]);
export type Change = v.InferOutput<typeof ChangeSchema>;

const noteText = v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars));
/** A moment as the API writes it: `YYYY-MM-DDTHH:mm:ss.SSSZ`, or any ISO form with a zone. */
const moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => Date.parse(text)),
  v.safeInteger(),
);

/**
 * What a call takes to change results: a change by name, or the fields of a job execution as it is
 * read. A note is text or `{ content }`, and an empty one or null removes it; `ignoredUntil` is
 * when a snooze ends, and null ends it now.
 */
export const changeFields = {
  change: v.optional(ChangeSchema),
  note: v.optional(v.nullable(v.union([noteText, v.object({ content: noteText })]))),
  ignoredUntil: v.optional(v.nullable(moment)),
  ignoredReason: v.optional(
    v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.reasonChars)),
  ),
};
type ChangeAsked = {
  readonly [K in keyof typeof changeFields]?: v.InferOutput<(typeof changeFields)[K]>;
};

/**
 * The changes that were asked for, in the order in which they are made. A snooze without a reason
 * has the note for one.
 */
export function changesOf({
  change,
  note,
  ignoredUntil,
  ignoredReason,
}: ChangeAsked): readonly Change[] {
  const content = (typeof note === 'object' ? note?.content : note) || null;
  return [
    ...(change === undefined ? [] : [change]),
    ...(note === undefined ? [] : [{ is: 'note' as const, content }]),
    ...(ignoredUntil === undefined
      ? []
      : [
          ignoredUntil === null
            ? { is: 'wake' as const }
            : {
                is: 'snooze' as const,
                until: ignoredUntil,
                reason:
                  ignoredReason ??
                  (cutText(content ?? '', LIMITS.reasonChars).trim() || MESSAGES.noReasonGiven),
              },
        ]),
  ];
}

/**
 * What `decideChange` must know of a run: null problem where it has none. A run that is unknown or
 * out of scope is left out.
 */
export interface Target {
  readonly run: Pick<RunRow, 'n' | 'job' | 'company'> & { readonly anomaly?: readonly Anomaly[] };
  readonly problem: ProblemRow | null;
}

export interface Refused {
  readonly run: RunN;
  readonly failure: Failure;
}
export interface Decided {
  readonly drafts: readonly NewEvent[];
  readonly refused: readonly Refused[];
}

/**
 * The decision, the same on the device (to show the effect at once) and on the server (to make it
 * so). `nameOf` gives a person's name for a refusal. One event a company, so that a device is only
 * told of companies it may see.
 */
export function decideChange(
  change: Change,
  asked: readonly RunN[],
  targets: ReadonlyMap<RunN, Target>,
  by: UserId,
  at: Ms,
  nameOf: (id: UserId) => string,
): Decided {
  const refused: Refused[] = [];
  const problems = new Map<CompanyN, Set<ProblemN>>();
  const drafts: NewEvent[] = [];
  for (const run of asked) {
    const target = targets.get(run);
    const failure = target
      ? refusal(change, target, by, at, nameOf)
      : { kind: 'not-found' as const, message: MESSAGES.notFound };
    if (failure) {
      refused.push({ run, failure });
      continue;
    }
    if (!target?.problem) continue;
    const { company } = target.run;
    problems.set(company, (problems.get(company) ?? new Set()).add(target.problem.n));
    if (change.is === 'not-anomaly') {
      for (const { measure, value } of target.run.anomaly ?? []) {
        drafts.push({
          event: { type: 'job.taught@1', data: { n: target.run.job, measure, value } },
          company,
          entity: `job:${target.run.job}`,
        });
      }
    }
  }
  for (const [company, set] of problems) {
    const list = [...set];
    drafts.push({
      event: eventOf(change, list),
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
  nameOf: (id: UserId) => string,
): Failure | null {
  if (!problem) return { kind: 'conflict', message: MESSAGES.nothingToReview };
  if (change.is === 'review' && problem.review && problem.review.by !== by) {
    return {
      kind: 'conflict',
      message: MESSAGES.alreadyReviewed({ user: nameOf(problem.review.by) }),
    };
  }
  if (change.is === 'snooze') {
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

function eventOf(change: Change, problems: number[]): Event {
  switch (change.is) {
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
      return { type: 'problem.ticketed@1', data: { problems, ticket: change.ticket } };
    case 'wake':
      return { type: 'problem.woken@1', data: { problems } };
  }
}
