import type { Actor, EventType } from './events.ts';
import { RENAMED_DATA, renameKind, toFormerKind } from './former-fields.ts';

/**
 * The names that event types had in former versions. Logs, backups and servers of the version
 * before contain them. A stored event is never changed (LOG-4): it gets the current name when it is
 * read.
 */
const CURRENT_TYPES = {
  'company.made@1': 'company.created@1',
  'company.changed@1': 'company.updated@1',
  'user.made@1': 'user.created@1',
  'user.changed@1': 'user.updated@1',
  'user.preferred@1': 'user.preferenceSaved@1',
  'job.changed@1': 'job.updated@1',
  'job.taught@1': 'job.calibrated@1',
  'job.heeded@1': 'job.unignored@1',
  'problem.woken@1': 'problem.unsnoozed@1',
  'problem.ticketed@1': 'problem.ticketSet@1',
  'problem.tied@1': 'problem.ticketLinked@1',
  'problem.ruled@1': 'problem.ruleApplied@1',
  'problem.helped@1': 'problem.hintRated@1',
  'key.made@1': 'key.created@1',
  'key.heard@1': 'key.firstResultReceived@1',
  'computer.heeded@1': 'computer.unignored@1',
  'rule.made@1': 'rule.created@1',
  'rule.changed@1': 'rule.updated@1',
  'rule.removed@1': 'rule.deleted@1',
  'hint.removed@1': 'hint.deleted@1',
  'view.removed@1': 'view.deleted@1',
  'ticket.made@1': 'ticket.created@1',
  'ticket.changed@1': 'ticket.updated@1',
  'shift.ended@1': 'shift.handedOver@1',
  'backupjob.notificationschanged@1': 'backupjob.notificationsUpdated@1',
} as const satisfies Readonly<Record<string, EventType>>;

/** The types under which the version before reads an event whose name or data differ today. */
export const FORMER_TYPES = [
  ...(Object.keys(CURRENT_TYPES) as (keyof typeof CURRENT_TYPES)[]),
  ...(Object.keys(RENAMED_DATA) as (keyof typeof RENAMED_DATA)[]),
];
const CURRENT: ReadonlyMap<string, EventType> = new Map(Object.entries(CURRENT_TYPES));
const FORMER: ReadonlyMap<string, string> = new Map(
  Object.entries(CURRENT_TYPES).map(([former, current]) => [current, former]),
);

/** An event as it is stored or sent, of any version. */
export interface StoredEvent {
  readonly type: string;
  readonly data: unknown;
}

/** Returns the event under its current name, with the current names of its fields. */
export function renameEvent(event: StoredEvent): StoredEvent {
  const type = CURRENT.get(event.type) ?? event.type;
  const data = getRenaming(type)?.rename(event.data) ?? event.data;
  return type === event.type && data === event.data ? event : { type, data };
}

/** Returns the event as readers of the version before know it (SYNC-9). */
export function toFormerEvent(event: StoredEvent): StoredEvent {
  const type = FORMER.get(event.type) ?? event.type;
  const data = getRenaming(event.type)?.toFormer(event.data) ?? event.data;
  return type === event.type && data === event.data ? event : { type, data };
}

const getRenaming = (type: string): (typeof RENAMED_DATA)[keyof typeof RENAMED_DATA] | undefined =>
  Object.hasOwn(RENAMED_DATA, type) ? RENAMED_DATA[type as keyof typeof RENAMED_DATA] : undefined;

/** Returns who caused a stored event: in former versions, an actor's kind was called `is`. */
export const renameActor = (actor: unknown): Actor => renameKind(actor) as Actor;

/** Returns the actor as readers of the version before know it (SYNC-9). */
export const toFormerActor = (actor: Actor): unknown => toFormerKind(actor);

/** Returns the names under which logs contain these types: the current and the former ones. */
export const listStoredTypes = (types: readonly EventType[]): string[] =>
  types.flatMap((type) => {
    const former = FORMER.get(type);
    return former === undefined ? [type] : [type, former];
  });

/** Returns the former names of the types whose current name is wanted. */
export const listFormerTypes = (isWanted: (current: string) => boolean): string[] =>
  [...FORMER].flatMap(([current, former]) => (isWanted(current) ? [former] : []));

/** Returns the current name of a stored type. */
export const getCurrentType = (type: string): string => CURRENT.get(type) ?? type;
