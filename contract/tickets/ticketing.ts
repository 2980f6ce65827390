import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { NamedSchema, StatusSchema, TICKET_SYSTEMS } from './tickets.ts';
import { nameText } from '../text-schema.ts';

const text = nameText();
const https = v.pipe(v.string(), v.trim(), v.maxLength(2_000), v.regex(/^https?:\/\/[^\s@]+$/));
const chosen = v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.ticketChars)));

/**
 * `url`: the server, or the full path to `apis/3.0`. `company`: the company id for sign-in. The
 * private key is the secret.
 */
export const ConnectWiseSchema = v.strictObject({
  url: https,
  company: text,
  publicKey: text,
  clientId: text,
});
/** `url`: the server that returns the zone's own address. The API user's secret is the secret. */
export const AutotaskSchema = v.strictObject({ url: https, username: text, integrationCode: text });
export type ConnectWiseAt = v.InferOutput<typeof ConnectWiseSchema>;
export type AutotaskAt = v.InferOutput<typeof AutotaskSchema>;

/**
 * How a provider handles tickets. `board`: ConnectWise's service board or Autotask's queue.
 * `openStatus`, `closeStatus`, `priority`: ids in that system. `reopenDays`: a closed ticket is
 * reopened if the same failure recurs within this many days; 0 means never. `resolveOnSuccess`: a
 * ticket is closed when all its jobs succeed.
 */
export const TicketingSchema = v.strictObject({
  system: v.picklist(TICKET_SYSTEMS),
  connectwise: v.nullable(ConnectWiseSchema),
  autotask: v.nullable(AutotaskSchema),
  board: chosen,
  openStatus: chosen,
  closeStatus: chosen,
  priority: chosen,
  reopenDays: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(365)),
  resolveOnSuccess: v.boolean(),
});
export type Ticketing = v.InferOutput<typeof TicketingSchema>;
export const NO_TICKETING: Ticketing = {
  system: 'own',
  connectwise: null,
  autotask: null,
  board: null,
  openStatus: null,
  closeStatus: null,
  priority: null,
  reopenDays: 0,
  resolveOnSuccess: false,
};

/** The choices that the system offers, as of its last test. Statuses are those of the board. */
export const ChoicesSchema = v.object({
  boards: v.array(NamedSchema),
  statuses: v.array(StatusSchema),
  priorities: v.array(NamedSchema),
});
export type Choices = v.InferOutput<typeof ChoicesSchema>;
export const NO_CHOICES: Choices = { boards: [], statuses: [], priorities: [] };

/** The parts of a ticket that can be sent to its system. */
export type TicketPart = 'subject' | 'description' | 'status' | 'priority' | 'owner' | 'reference';

/**
 * The state of a company's mapping: the ticketing company exists under the same name, under another
 * name, no longer exists, or was never chosen.
 */
export const MAPPING_HEALTH = ['ok', 'renamed', 'missing', 'not mapped'] as const;
export type MappingHealth = (typeof MAPPING_HEALTH)[number];
