import type { UserId } from '../ids.ts';
import { storedIdSchema } from '../id-schema.ts';
import * as v from 'valibot';
import { ENGLISH, inLanguage } from '../i18n/messages.ts';
import { LIMITS } from '../limits.ts';
import type { RowOf } from '../row.ts';
import { nameText } from '../text-schema.ts';
import { ownTicketMessages } from './messages.en.ts';

/** Where a provider's tickets live: in its ticketing system, or only here (`own`). */
export const TICKET_SYSTEMS = ['own', 'connectwise', 'autotask'] as const;
export type TicketSystem = (typeof TICKET_SYSTEMS)[number];
export const SYSTEM_NAMES: Readonly<Record<TicketSystem, string>> = {
  get own() {
    return ownTicketMessages.portal;
  },
  connectwise: 'ConnectWise',
  autotask: 'Autotask',
};

const uuid = v.pipe(v.string(), v.uuid());
const n = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.ticketChars));
const url = v.nullable(v.pipe(v.string(), v.maxLength(2_000), v.regex(/^https?:\/\//)));

/**
 * A record that a ticketing system identifies by an id: a status, a priority, a member, a company.
 */
export const NamedSchema = v.strictObject({
  id,
  name: v.pipe(v.string(), v.maxLength(LIMITS.nameChars)),
});
export type Named = v.InferOutput<typeof NamedSchema>;
/** `closed`: tickets with this status are closed. */
export const StatusSchema = v.strictObject({ ...NamedSchema.entries, closed: v.boolean() });
export type TicketStatus = v.InferOutput<typeof StatusSchema>;

/** ConnectWise's maximum length of a subject. */
export const ticketSubject = nameText(LIMITS.subjectChars);
export const ticketDescription = v.pipe(v.string(), v.maxLength(LIMITS.descriptionChars));

/**
 * The statuses and priorities without a ticketing system. Tickets store their names, so these are
 * English.
 */
const t = inLanguage(ownTicketMessages, ENGLISH);
export const OWN_STATUSES: readonly TicketStatus[] = [
  { id: 'new', name: t.new, closed: false },
  { id: 'progress', name: t.inProgress, closed: false },
  { id: 'waiting', name: t.waiting, closed: false },
  { id: 'closed', name: t.closed, closed: true },
];
export const OWN_PRIORITIES: readonly Named[] = [
  { id: 'low', name: t.low },
  { id: 'medium', name: t.medium },
  { id: 'high', name: t.high },
];

/**
 * Who or what last opened or closed a ticket: a user here, the ticketing system, a success, or a
 * recurring failure.
 */
export const TICKET_BY = ['person', 'system', 'success', 'again'] as const;
export type TicketBy = (typeof TICKET_BY)[number];

const fields = {
  subject: ticketSubject,
  description: ticketDescription,
  status: StatusSchema,
  priority: v.nullable(NamedSchema),
  owner: v.nullable(NamedSchema),
};

/**
 * The envelope also carries `company`. The number is the provider's own, in sequence; the ticketing
 * system assigns its own number later.
 */
export const ticketCreated = v.strictObject({
  type: v.literal('ticket.created@1'),
  data: v.strictObject({
    id: uuid,
    number: n,
    company: n,
    system: v.picklist(TICKET_SYSTEMS),
    contact: v.nullable(NamedSchema),
    ...fields,
  }),
});
/** Fields that are present replace the old values; fields left out stay unchanged. */
export const ticketUpdated = v.strictObject({
  type: v.literal('ticket.updated@1'),
  data: v.strictObject({
    id: uuid,
    by: v.picklist(TICKET_BY),
    ...v.partial(v.strictObject(fields)).entries,
  }),
});
/** The ticketing system has created the ticket under this id and number. */
export const ticketLinked = v.strictObject({
  type: v.literal('ticket.linked@1'),
  data: v.strictObject({ id: uuid, remote: v.strictObject({ id, number: id, url }) }),
});
export const ticketDeleted = v.strictObject({
  type: v.literal('ticket.deleted@1'),
  data: v.strictObject({ id: uuid }),
});

export const TicketRowSchema = v.object({
  ...ticketCreated.entries.data.entries,
  /** The ticket in the ticketing system; null until it exists there. */
  remote: v.nullable(ticketLinked.entries.data.entries.remote),
  madeBy: storedIdSchema<UserId>(),
  madeAt: v.number(),
  changedAt: v.number(),
  closedAt: v.nullable(v.number()),
  closedBy: v.nullable(v.picklist(TICKET_BY)),
  deletedAt: v.nullable(v.number()),
});
export type TicketRow = RowOf<typeof TicketRowSchema>;

/** Returns the number shown with a problem: the ticketing system's number, or our own. */
export const ticketNumber = ({ number, remote }: Pick<TicketRow, 'number' | 'remote'>): string =>
  remote?.number ?? `D-${number}`;
