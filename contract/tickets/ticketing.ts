import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { NamedSchema, StatusSchema, TICKET_SYSTEMS } from './tickets.ts';
import { nameText } from '../text-schema.ts';

const text = nameText();
const https = v.pipe(v.string(), v.trim(), v.maxLength(2_000), v.regex(/^https?:\/\/[^\s@]+$/));
const chosen = v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.ticketChars)));

/**
 * `url`: the server, or the whole way to `apis/3.0`. `company`: the one that signs in. The private
 * key is the secret.
 */
export const ConnectWiseSchema = v.strictObject({
  url: https,
  company: text,
  publicKey: text,
  clientId: text,
});
/**
 * `url`: where zones are told; the zone's own address is asked there. The user's secret is the
 * secret.
 */
export const AutotaskSchema = v.strictObject({ url: https, username: text, integrationCode: text });
export type ConnectWiseAt = v.InferOutput<typeof ConnectWiseSchema>;
export type AutotaskAt = v.InferOutput<typeof AutotaskSchema>;

/**
 * How a provider keeps tickets. `board`: ConnectWise's service board, Autotask's queue.
 * `openStatus`, `closeStatus`, `priority`: ids there. `reopenDays`: a ticket that was closed is
 * opened again where the same failure comes back within so many days; 0 never. `resolveOnSuccess`:
 * closed when its jobs are all well.
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

/** What the system offers, as of its last test. Statuses are those of the board. */
export const ChoicesSchema = v.object({
  boards: v.array(NamedSchema),
  statuses: v.array(StatusSchema),
  priorities: v.array(NamedSchema),
});
export type Choices = v.InferOutput<typeof ChoicesSchema>;
export const NO_CHOICES: Choices = { boards: [], statuses: [], priorities: [] };

/** What of a ticket may be told to its system. */
export type TicketPart = 'subject' | 'description' | 'status' | 'priority' | 'owner' | 'reference';

/**
 * How a company of ours stands to one of the system: it is there under the same name, under another
 * one, not there any more, or none was chosen.
 */
export const MAPPING_HEALTH = ['ok', 'renamed', 'missing', 'not mapped'] as const;
export type MappingHealth = (typeof MAPPING_HEALTH)[number];
