import * as v from 'valibot';
import type { Choices } from '#contract/tickets/ticketing.ts';
import type { Named, TicketStatus, TicketSystem } from '#contract/tickets/tickets.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { OutboundError } from '../../platform/outbound/address.ts';
import { fetchOutbound, type OutboundInit } from '../../platform/outbound/fetch.ts';
import { parseRetryAfter } from '../../platform/outbound/retry.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { cutText, parseStorable } from '#contract/stored-text.ts';
import { ticketMessages as t } from './messages.en.ts';

/** A ticket in its system. `reference`: our reference, written when the ticket was created. */
export interface RemoteTicket {
  readonly id: string;
  readonly number: string;
  readonly url: string | null;
  readonly reference: string | null;
  /** The id of the system's company; null if the ticket has none. */
  readonly company: string | null;
  readonly subject: string;
  readonly status: TicketStatus;
  readonly owner: Named | null;
  readonly priority: Named | null;
  readonly updatedAt: Ms | null;
}
export interface NewRemoteTicket {
  readonly reference: string;
  readonly company: string;
  readonly subject: string;
  readonly description: string;
  readonly status: string;
  readonly priority: string | null;
  readonly owner: string | null;
  readonly contact: string | null;
  readonly board: string;
}
/** Omitted fields do not change. */
export interface RemoteChange {
  readonly subject?: string;
  readonly description?: string;
  readonly status?: string;
  readonly priority?: string | null;
  readonly owner?: string | null;
  readonly reference?: string;
}
export interface PsaQuery {
  readonly search?: string | undefined;
  readonly page: number;
  readonly pageSize: number;
}
export interface RemotePage<T> {
  readonly rows: readonly (Named & T)[];
  readonly page: number;
  readonly more: boolean;
}

/**
 * The functions that a ticketing system provides. Each throws a `PsaError` if the request fails.
 */
export interface Psa {
  /** Without a board, returns the choices of the first one. */
  choices(board: string | null): Promise<Choices>;
  companies(request: PsaQuery): Promise<RemotePage<{ readonly identifier: string }>>;
  /** Returns all active companies. */
  everyCompany(): Promise<readonly Named[]>;
  /** Returns the ticket created under this reference; null if there is none. */
  find(reference: string): Promise<RemoteTicket | null>;
  /** Returns the ticket for a number or an address; null if there is none. */
  meant(said: string): Promise<RemoteTicket | null>;
  make(ticket: NewRemoteTicket): Promise<RemoteTicket>;
  change(id: string, change: RemoteChange): Promise<void>;
  get(id: string): Promise<RemoteTicket>;
  /** Returns our tickets that changed since then. */
  changedSince(at: Ms): Promise<readonly RemoteTicket[]>;
  /** Returns the members who can own a ticket. */
  members(request: PsaQuery): Promise<RemotePage<{ readonly identifier: string }>>;
  /**
   * Returns the member with a user's address or name; null if there is none, or the system does not
   * support it.
   */
  memberOf(email: string | null, username: string): Promise<Named | null>;
}

export const REFERENCE = 'daybook:';
/** Cuts a text of the system to our limits, by default that of a name. */
export const shortenTicketText = (text: string, max: number = LIMITS.nameChars): string =>
  cutText(text, max);

/**
 * `later`: retry later. `access`: the keys were refused. `gone`: the object does not exist.
 * `refused`: the same request will not succeed. `message` is a sentence.
 */
export class PsaError extends Error {
  readonly kind: 'later' | 'access' | 'gone' | 'refused';
  readonly afterMs: Ms | null;
  constructor(kind: PsaError['kind'], message: string, afterMs: Ms | null = null) {
    super(message);
    this.name = 'PsaError';
    this.kind = kind;
    this.afterMs = afterMs;
  }
}

const Refusal = v.object({
  message: v.optional(v.string()),
  errors: v.optional(v.array(v.union([v.string(), v.object({ message: v.string() })]))),
});
/** Returns the first line of the system's own error message. */
function getWords(body: unknown): string {
  const read = v.safeParse(Refusal, body);
  if (!read.success) return '';
  const [first] = read.output.errors ?? [];
  const said = (typeof first === 'string' ? first : first?.message) ?? read.output.message ?? '';
  return said
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 160);
}

/**
 * Sends one request and returns the response as JSON. Throws a `PsaError` for every failure. It
 * logs neither keys nor responses.
 */
export async function askPsa(
  context: AppContext,
  system: TicketSystem,
  url: string,
  init: OutboundInit,
): Promise<{ readonly body: unknown; readonly headers: Headers }> {
  const name = SYSTEM_NAMES[system];
  let answer: Response;
  try {
    answer = await fetchOutbound(context, url, init);
  } catch (error) {
    if (error instanceof OutboundError)
      throw new PsaError(error.kind === 'refused' ? 'refused' : 'later', error.message);
    throw error;
  }
  const { status, headers } = answer;
  const text = await answer.text();
  const body = parsed(text);
  if (status === 401 || status === 403)
    throw new PsaError('access', t.keysRefused({ system: name }));
  if (status === 404) throw new PsaError('gone', t.missing({ system: name }));
  if (status === 429 || status === 408 || status >= 500)
    throw new PsaError(
      'later',
      status === 429 ? t.busy({ system: name }) : t.unavailable({ system: name, status }),
      parseRetryAfter(headers.get('retry-after'), context.clock.now()),
    );
  if (status < 200 || status > 299) {
    const words = getWords(body);
    throw new PsaError(
      'refused',
      words === ''
        ? t.refused({ system: name, status })
        : t.refusedWith({ system: name, status, message: words }),
    );
  }
  if (body === undefined && text !== '')
    throw new PsaError('later', t.badResponse({ system: name }));
  return { body, headers };
}

function parsed(text: string): unknown {
  try {
    return parseStorable(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the validated response. Throws a `PsaError` if it does not match the published schema.
 */
export function shaped<S extends v.GenericSchema>(
  system: TicketSystem,
  schema: S,
  body: unknown,
): v.InferOutput<S> {
  const read = v.safeParse(schema, body);
  if (!read.success) throw new PsaError('later', t.badResponse({ system: SYSTEM_NAMES[system] }));
  return read.output;
}

/**
 * Returns whether an address from the system belongs to the configured system, because keys are
 * sent to no other.
 */
export function sameSite(set: string, named: string, family: string): boolean {
  const [a, b] = [new URL(set), URL.canParse(named) ? new URL(named) : null];
  if (b === null || b.protocol !== a.protocol) return false;
  return a.host === b.host || (a.hostname.endsWith(family) && b.hostname.endsWith(family));
}
