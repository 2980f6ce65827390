import * as v from 'valibot';
import type { CommandId, CompanyN, Ms, UserId } from './ids.ts';
import * as monitoring from './runs/events.ts';
import { userPreferred } from './auth/preferences.ts';
import { shiftEnded } from './daily-checks/hand-over.ts';
import * as hints from './hints/hints.ts';
import * as rules from './rules/rules.ts';
import * as tickets from './tickets/tickets.ts';
import { viewRemoved, viewSaved } from './daily-checks/saved-views.ts';
import * as people from './users/events.ts';

/**
 * Every change of tenant data, in the past tense and versioned. The gate of the log checks each by
 * this schema (LOG-1).
 */
export const EventSchema = v.variant('type', [
  people.companyMade,
  people.companyChanged,
  people.companyDeleted,
  people.userMade,
  people.userScoped,
  people.userChanged,
  people.userDeleted,
  people.userRemoved,
  userPreferred,
  monitoring.jobFound,
  monitoring.jobChanged,
  monitoring.jobTaught,
  monitoring.jobIgnored,
  monitoring.jobHeeded,
  monitoring.runStarted,
  monitoring.runFinished,
  monitoring.runMissed,
  monitoring.causeFound,
  monitoring.problemOpened,
  monitoring.problemClosed,
  monitoring.problemReviewed,
  monitoring.problemReopened,
  monitoring.problemSnoozed,
  monitoring.problemWoken,
  monitoring.problemNoted,
  monitoring.problemTicketed,
  monitoring.problemTied,
  monitoring.keyMade,
  monitoring.keyRotated,
  monitoring.keyRevoked,
  monitoring.keyHeard,
  monitoring.computerSeen,
  monitoring.computerNoted,
  monitoring.computerIgnored,
  monitoring.computerHeeded,
  monitoring.repositorySampled,
  viewSaved,
  viewRemoved,
  shiftEnded,
  rules.ruleMade,
  rules.ruleChanged,
  rules.ruleRemoved,
  rules.rulesOrdered,
  rules.problemExcepted,
  rules.problemUnexcepted,
  rules.problemRuled,
  hints.hintSaved,
  hints.hintRemoved,
  hints.problemHelped,
  tickets.ticketMade,
  tickets.ticketChanged,
  tickets.ticketLinked,
  tickets.ticketDeleted,
]);
export type Event = v.InferOutput<typeof EventSchema>;
export type EventType = Event['type'];
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

/**
 * What is decided but not yet in the log. `company` null: of the provider as a whole. `entity` is
 * `<noun>:<id>` for the audit trail.
 */
export interface NewEvent {
  readonly event: Event;
  readonly company: CompanyN | null;
  readonly entity: string;
}

/**
 * Who did it: a user (`impersonation`: while signed in as another, under that number; `key`: a
 * program with that API key of the user's), a source (by its key), a rule (by the name it had), or
 * the server's own clock.
 */
export type Actor =
  | {
      readonly is: 'user';
      readonly id: UserId;
      readonly impersonation?: string | undefined;
      readonly key?: string | undefined;
    }
  | { readonly is: 'source'; readonly id: string }
  | { readonly is: 'rule'; readonly id: string; readonly name: string }
  | { readonly is: 'clock' };

/** An event in the log. `seq` is without holes and in commit order within its tenant (LOG-2). */
export interface Logged extends NewEvent {
  readonly seq: number;
  readonly at: Ms;
  readonly actor: Actor;
  /** The user in whose name it was done, where that is another than the actor. */
  readonly subject: UserId | null;
  readonly commandId: CommandId | null;
}

const actor = v.variant('is', [
  v.object({
    is: v.literal('user'),
    id: v.string(),
    impersonation: v.optional(v.string()),
    key: v.optional(v.string()),
  }),
  v.object({ is: v.literal('source'), id: v.string() }),
  v.object({ is: v.literal('clock') }),
  v.object({ is: v.literal('rule'), id: v.string(), name: v.string() }),
]);
/**
 * An event as it travels. A type that this version does not know is kept out by the reader, who
 * then loads anew (SYNC-9).
 */
export const LoggedSchema = v.object({
  seq: v.number(),
  at: v.number(),
  actor,
  subject: v.nullable(v.string()),
  commandId: v.nullable(v.string()),
  company: v.nullable(v.number()),
  entity: v.string(),
  event: EventSchema,
});
