import * as v from 'valibot';
import { storedIdSchema } from './id-schema.ts';
import type { ApiKeyId, CommandId, CompanyN, ImpersonationId, Ms, UserId } from './ids.ts';
import * as backupJobs from './backup/jobs.ts';
import * as exclusions from './backup/exclusions.ts';
import * as legalHolds from './backup/legal-holds.ts';
import * as organizations from './backup/organizations.ts';
import * as backupRepositories from './backup/repositories.ts';
import * as subscriptions from './billing/subscriptions.ts';
import * as usageMonths from './billing/usage-months.ts';
import * as monitoring from './runs/events.ts';
import { companyPinned } from './companies/pins.ts';
import { userPreferenceSaved } from './auth/preferences.ts';
import { shiftHandedOver } from './daily-checks/hand-over.ts';
import * as hints from './hints/hints.ts';
import * as restoreRoles from './restore/roles.ts';
import * as restoreSessions from './restore/sessions.ts';
import { restoreDecided, restoreRequested } from './restore/requests.ts';
import { restoreTaskEnded } from './restore/tasks.ts';
import * as rules from './rules/rules.ts';
import * as tickets from './tickets/tickets.ts';
import { viewDeleted, viewSaved } from './daily-checks/saved-views.ts';
import * as people from './users/events.ts';

/**
 * Every change of tenant data, named in the past tense and versioned. The log validates each new
 * event against this schema (LOG-1).
 */
export const EventSchema = v.variant('type', [
  people.companyCreated,
  people.companyUpdated,
  people.companyDeleted,
  people.companyRestored,
  people.userCreated,
  people.userScoped,
  people.userUpdated,
  people.userDeleted,
  people.userRemoved,
  userPreferenceSaved,
  companyPinned,
  monitoring.jobFound,
  monitoring.jobUpdated,
  monitoring.jobCalibrated,
  monitoring.jobIgnored,
  monitoring.jobUnignored,
  monitoring.runStarted,
  monitoring.runFinished,
  monitoring.runMissed,
  monitoring.causeFound,
  monitoring.problemOpened,
  monitoring.problemClosed,
  monitoring.problemReviewed,
  monitoring.problemReopened,
  monitoring.problemSnoozed,
  monitoring.problemUnsnoozed,
  monitoring.problemNoted,
  monitoring.problemTicketSet,
  monitoring.problemTicketLinked,
  monitoring.keyCreated,
  monitoring.keyRotated,
  monitoring.keyRevoked,
  monitoring.keyFirstResultReceived,
  monitoring.computerSeen,
  monitoring.computerNoted,
  monitoring.computerIgnored,
  monitoring.computerUnignored,
  monitoring.repositorySampled,
  viewSaved,
  viewDeleted,
  shiftHandedOver,
  rules.ruleCreated,
  rules.ruleUpdated,
  rules.ruleDeleted,
  rules.rulesOrdered,
  rules.problemExcepted,
  rules.problemUnexcepted,
  rules.problemRuleApplied,
  hints.hintSaved,
  hints.hintDeleted,
  hints.problemHintRated,
  tickets.ticketCreated,
  tickets.ticketUpdated,
  tickets.ticketLinked,
  tickets.ticketDeleted,
  organizations.organizationCreated,
  organizations.organizationUpdated,
  organizations.organizationRenewed,
  organizations.organizationApprovalSet,
  legalHolds.organizationHoldPlaced,
  legalHolds.organizationHoldReleased,
  exclusions.organizationPersonExcluded,
  exclusions.organizationExclusionEnded,
  organizations.organizationDeleted,
  backupRepositories.backupRepositoryCreated,
  backupRepositories.backupRepositoryUpdated,
  backupRepositories.backupRepositoryVerified,
  backupRepositories.backupRepositoryCleaned,
  backupRepositories.backupRepositoryTampered,
  backupRepositories.backupRepositoryDeleted,
  backupRepositories.backupProxyJoined,
  backupRepositories.backupProxyUpdated,
  backupRepositories.backupProxyLeft,
  backupJobs.backupJobCreated,
  backupJobs.backupJobUpdated,
  backupJobs.backupJobEnabled,
  backupJobs.backupJobDisabled,
  backupJobs.backupJobNotificationsUpdated,
  backupJobs.backupJobDeleted,
  backupJobs.backupSessionStarted,
  backupJobs.backupSessionEnded,
  restoreSessions.restoreSessionOpened,
  restoreSessions.restoreSessionStopped,
  restoreTaskEnded,
  restoreRoles.restoreRoleCreated,
  restoreRoles.restoreRoleUpdated,
  restoreRoles.restoreRoleDeleted,
  restoreRequested,
  restoreDecided,
  subscriptions.subscriptionStarted,
  subscriptions.subscriptionPaid,
  subscriptions.subscriptionFailed,
  subscriptions.subscriptionDisabled,
  subscriptions.subscriptionForgiven,
  subscriptions.subscriptionCancelled,
  subscriptions.subscriptionRolledBack,
  subscriptions.subscriptionLevelChanged,
  subscriptions.subscriptionUpdated,
  subscriptions.subscriptionTrialChanged,
  subscriptions.subscriptionCardAttached,
  subscriptions.subscriptionEnded,
  usageMonths.usageCounted,
  usageMonths.usageUpdated,
  usageMonths.usageAcknowledged,
  usageMonths.usageUnacknowledged,
  usageMonths.usageInvoiced,
  usageMonths.usageReleased,
]);
export type Event = v.InferOutput<typeof EventSchema>;
export type EventType = Event['type'];
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

/**
 * An event that isn't in the log yet. `company` is null if it concerns the provider as a whole.
 * `entity` is `<noun>:<id>`, for the audit trail.
 */
export interface NewEvent {
  readonly event: Event;
  readonly company: CompanyN | null;
  readonly entity: string;
}

/**
 * Who caused the event: a user (`impersonation`: the number of the impersonation in which they
 * acted as another user; `key`: the user's API key that a program used), a source (by its key), a
 * rule (by its name at that time), or the server's clock.
 */
export type Actor =
  | {
      readonly kind: 'user';
      readonly id: UserId;
      readonly impersonation?: ImpersonationId | undefined;
      readonly key?: ApiKeyId | undefined;
    }
  | { readonly kind: 'source'; readonly id: string }
  | { readonly kind: 'rule'; readonly id: string; readonly name: string }
  | { readonly kind: 'clock' };

/** An event in the log. `seq` has no gaps and follows commit order within its tenant (LOG-2). */
export interface Logged extends NewEvent {
  readonly seq: number;
  readonly at: Ms;
  readonly actor: Actor;
  /** The user on whose behalf the actor did it, if that isn't the actor. */
  readonly subject: UserId | null;
  readonly commandId: CommandId | null;
}

const actor = v.variant('kind', [
  v.object({
    kind: v.literal('user'),
    id: storedIdSchema<UserId>(),
    impersonation: v.optional(storedIdSchema<ImpersonationId>()),
    key: v.optional(storedIdSchema<ApiKeyId>()),
  }),
  v.object({ kind: v.literal('source'), id: v.string() }),
  v.object({ kind: v.literal('clock') }),
  v.object({ kind: v.literal('rule'), id: v.string(), name: v.string() }),
]);
/**
 * An event as it is transmitted. A reader rejects a type that its version doesn't know, and then
 * reloads all data (SYNC-9).
 */
export const LoggedSchema = v.object({
  seq: v.number(),
  at: v.number(),
  actor,
  subject: v.nullable(storedIdSchema<UserId>()),
  commandId: v.nullable(storedIdSchema<CommandId>()),
  company: v.nullable(v.number()),
  entity: v.string(),
  event: EventSchema,
});
