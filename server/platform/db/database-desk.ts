import type { Generated } from 'kysely';
import type { Choices, TicketPart, Ticketing } from '#contract/tickets/ticketing.ts';
import type { SupportOut } from '#contract/support/calls.ts';
import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import type { Json } from './json-column.ts';

/**
 * What a provider connected. `cursor`: changes of the system are known up to then. `poll_at`: when
 * it is asked next. `log_seq`: results are followed up to that event.
 */
export interface TicketingTable {
  tenant_id: TenantId;
  settings: Json<Ticketing>;
  choices: Json<Choices>;
  cursor: Ms;
  poll_at: Ms;
  polled_at: Ms | null;
  tries: Generated<number>;
  fault: string | null;
  log_seq: number;
}

/**
 * A ticket that the system is to be told of: all of it, where it has none yet, else these parts.
 * `held_until`: a server is at it. `next_at` null: given up until somebody changes it.
 */
export interface TicketWorkTable {
  tenant_id: TenantId;
  ticket_id: string;
  version: Generated<number>;
  parts: Json<readonly TicketPart[]>;
  tries: Generated<number>;
  next_at: Ms | null;
  held_until: Generated<Ms>;
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
