import * as v from 'valibot';
import type { Choices } from '#contract/tickets/ticketing.ts';
import type { Named, TicketStatus, TicketSystem } from '#contract/tickets/tickets.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { OutboundError } from '../../platform/outbound/address.ts';
import { fetchOutbound, type OutboundInit } from '../../platform/outbound/fetch.ts';
import { afterOf } from '../../platform/outbound/retry.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { cutText, parseStorable } from '#contract/stored-text.ts';

/** A ticket as its system has it. `reference`: what we wrote into it when it was made. */
export interface RemoteTicket {
  readonly id: string;
  readonly number: string;
  readonly url: string | null;
  readonly reference: string | null;
  /** Of the system; null where it has none. */
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
/** What is left out stays. */
export interface RemoteChange {
  readonly subject?: string;
  readonly description?: string;
  readonly status?: string;
  readonly priority?: string | null;
  readonly owner?: string | null;
  readonly reference?: string;
}
export interface Asked {
  readonly search?: string | undefined;
  readonly page: number;
  readonly pageSize: number;
}
export interface RemotePage<T> {
  readonly rows: readonly (Named & T)[];
  readonly page: number;
  readonly more: boolean;
}

/** What we ask of any ticketing system. Each throws a `PsaFault` where it is not answered. */
export interface Psa {
  /** Without a board, of the first one. */
  choices(board: string | null): Promise<Choices>;
  companies(asked: Asked): Promise<RemotePage<{ readonly identifier: string }>>;
  /** All that are active. */
  everyCompany(): Promise<readonly Named[]>;
  /** The one that we made under this reference; null where none was. */
  find(reference: string): Promise<RemoteTicket | null>;
  /** The one that people mean by a number or an address; null where there is none. */
  meant(said: string): Promise<RemoteTicket | null>;
  make(ticket: NewRemoteTicket): Promise<RemoteTicket>;
  change(id: string, change: RemoteChange): Promise<void>;
  get(id: string): Promise<RemoteTicket>;
  /** Those of ours that changed since then. */
  changedSince(at: Ms): Promise<readonly RemoteTicket[]>;
  /** Who can own a ticket. */
  members(asked: Asked): Promise<RemotePage<{ readonly identifier: string }>>;
  /**
   * The member that a user is, by its address or name; null where there is none, or the system has
   * no such thing.
   */
  memberOf(email: string | null, username: string): Promise<Named | null>;
}

export const REFERENCE = 'daybook:';
/** Text of a system as long as ours is: a name, where no other length is given. */
export const cut = (text: string, most: number = LIMITS.nameChars): string => cutText(text, most);

/**
 * `later`: to be asked again. `access`: the keys are not taken. `gone`: it is not there. `refused`:
 * asking again the same way is of no use. `message` is a sentence.
 */
export class PsaFault extends Error {
  readonly is: 'later' | 'access' | 'gone' | 'refused';
  readonly afterMs: Ms | null;
  constructor(is: PsaFault['is'], message: string, afterMs: Ms | null = null) {
    super(message);
    this.name = 'PsaFault';
    this.is = is;
    this.afterMs = afterMs;
  }
}

const Refusal = v.object({
  message: v.optional(v.string()),
  errors: v.optional(v.array(v.union([v.string(), v.object({ message: v.string() })]))),
});
/** Why it was refused, in the system's own words: one line of them. */
function wordsOf(body: unknown): string {
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
 * One request and its answer as JSON; every way in which it can fail is a `PsaFault`. Neither keys
 * nor answers are logged.
 */
export async function askPsa(
  world: AppContext,
  system: TicketSystem,
  url: string,
  init: OutboundInit,
): Promise<{ readonly body: unknown; readonly headers: Headers }> {
  const name = SYSTEM_NAMES[system];
  let answer: Response;
  try {
    answer = await fetchOutbound(world, url, init);
  } catch (error) {
    if (error instanceof OutboundError)
      throw new PsaFault(error.is === 'refused' ? 'refused' : 'later', error.message);
    throw error;
  }
  const { status, headers } = answer;
  const text = await answer.text();
  const body = parsed(text);
  if (status === 401 || status === 403)
    throw new PsaFault('access', `${name} did not accept the keys.`);
  if (status === 404) throw new PsaFault('gone', `${name} does not have it.`);
  if (status === 429 || status === 408 || status >= 500)
    throw new PsaFault(
      'later',
      status === 429
        ? `${name} asked to wait: too many requests.`
        : `${name} is out of order (${status}).`,
      afterOf(headers.get('retry-after'), world.clock.now()),
    );
  if (status < 200 || status > 299) {
    const words = wordsOf(body);
    throw new PsaFault(
      'refused',
      `${name} refused it (${status})${words === '' ? '.' : `: ${words}`}`,
    );
  }
  if (body === undefined && text !== '')
    throw new PsaFault('later', `${name} gave an answer that cannot be read.`);
  return { body, headers };
}

function parsed(text: string): unknown {
  try {
    return parseStorable(text);
  } catch {
    return undefined;
  }
}

/** The answer in the shape that is published, or the sentence that it is not. */
export function shaped<S extends v.GenericSchema>(
  system: TicketSystem,
  schema: S,
  body: unknown,
): v.InferOutput<S> {
  const read = v.safeParse(schema, body);
  if (!read.success)
    throw new PsaFault('later', `${SYSTEM_NAMES[system]} gave an answer that cannot be read.`);
  return read.output;
}

/**
 * Whether an address that a system named is of the system that was set: keys are shown to no other.
 */
export function sameSite(set: string, named: string, family: string): boolean {
  const [a, b] = [new URL(set), URL.canParse(named) ? new URL(named) : null];
  if (b === null || b.protocol !== a.protocol) return false;
  return a.host === b.host || (a.hostname.endsWith(family) && b.hostname.endsWith(family));
}
