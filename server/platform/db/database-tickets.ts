import type { Generated } from 'kysely';
import type { Choices, TicketPart, Ticketing } from '#contract/tickets/ticketing.ts';
import type { SupportOut } from '#contract/support/calls.ts';
import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import type { JsonColumn } from './json-column.ts';

/**
 * A provider's ticketing connection. `cursor`: changes are read up to here. `poll_at`: the next
 * poll. `log_seq`: results are processed up to that event.
 */
export interface TicketingTable {
  tenant_id: TenantId;
  settings: JsonColumn<Ticketing>;
  choices: JsonColumn<Choices>;
  cursor: Ms;
  poll_at: Ms;
  polled_at: Ms | null;
  tries: Generated<number>;
  fault: string | null;
  log_seq: number;
}

/**
 * A ticket to send to the system: all of it if it doesn't exist there yet, else these parts.
 * `held_by`: the lease of the job that sends it, until `held_until`; null if a call of a user sends it.
 * `next_at` null: given up until somebody changes the ticket.
 */
export interface TicketWorkTable {
  tenant_id: TenantId;
  ticket_id: string;
  version: Generated<number>;
  parts: JsonColumn<readonly TicketPart[]>;
  tries: Generated<number>;
  next_at: Ms | null;
  held_until: Generated<Ms>;
  held_by: Generated<string | null>;
  fault: string | null;
}

export interface SupportRequestTable {
  tenant_id: TenantId;
  id: string;
  user_id: UserId;
  at: Ms;
  subject: string;
  text: string;
  state: SupportOut['state'];
  fault: string | null;
  mail_id: string;
}
