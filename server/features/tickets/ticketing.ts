import {
  type Choices,
  NO_CHOICES,
  NO_TICKETING,
  type Ticketing,
} from '#contract/tickets/ticketing.ts';
import {
  type Named,
  OWN_PRIORITIES,
  OWN_STATUSES,
  SYSTEM_NAMES,
  type TicketStatus,
  type TicketSystem,
} from '#contract/tickets/tickets.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { readSecret } from '../../platform/outbound/secret.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { autotask } from './autotask.ts';
import { type ConnectWise, connectWise } from './connectwise.ts';
import { type Psa, PsaError } from './psa.ts';

/** A provider's current ticketing configuration. */
export interface StoredTicketing {
  readonly settings: Ticketing;
  readonly choices: Choices;
  readonly polledAt: Ms | null;
  readonly error: string | null;
  /** Whether the provider has ever configured ticketing. */
  readonly set: boolean;
}

export async function loadTicketing({ sql, tenant }: TenantTx): Promise<StoredTicketing> {
  const row = await sql
    .selectFrom('ticketing')
    .select(['settings', 'choices', 'polled_at', 'fault'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();
  return row
    ? {
        settings: row.settings,
        choices: row.choices,
        polledAt: row.polled_at,
        error: row.fault,
        set: true,
      }
    : { settings: NO_TICKETING, choices: NO_CHOICES, polledAt: null, error: null, set: false };
}

export const getStatuses = ({ settings, choices }: StoredTicketing): readonly TicketStatus[] =>
  settings.system === 'own'
    ? OWN_STATUSES
    : choices.statuses.map((one) => ({
        ...one,
        closed: one.closed || one.id === settings.closeStatus,
      }));
export const getPriorities = ({ settings, choices }: StoredTicketing): readonly Named[] =>
  settings.system === 'own' ? OWN_PRIORITIES : choices.priorities;
/** The status of a new ticket, and of a closed one. */
export const openStatus = (ticketing: StoredTicketing): TicketStatus | null =>
  ofStatus(ticketing, ticketing.settings.openStatus, false);
export const closeStatus = (ticketing: StoredTicketing): TicketStatus | null =>
  ofStatus(ticketing, ticketing.settings.closeStatus, true);

function ofStatus(
  ticketing: StoredTicketing,
  chosen: string | null,
  closed: boolean,
): TicketStatus | null {
  const all = getStatuses(ticketing).filter((one) => one.closed === closed);
  return (
    (ticketing.settings.system === 'own' ? undefined : all.find(({ id }) => id === chosen)) ??
    all[0] ??
    null
  );
}

/**
 * The connected system with its keys. `loadConnected` returns null if none is connected, or not
 * completely. Call the system outside of a transaction.
 */
export interface ConnectedSystem {
  readonly system: Exclude<TicketSystem, 'own'>;
  readonly psa: Psa;
  /** Null for any other system. */ readonly connectwise: ConnectWise | null;
}

export async function loadConnected(
  tx: TenantTx,
  context: AppContext,
  { settings }: Pick<StoredTicketing, 'settings'>,
): Promise<ConnectedSystem | null> {
  const { system } = settings;
  if (system === 'own') return null;
  const secret = await readSecret(tx, context, system);
  if (secret === null) return null;
  if (system === 'connectwise') {
    const own = settings.connectwise && connectWise(context, settings.connectwise, secret);
    return own && { system, psa: own, connectwise: own };
  }
  return (
    settings.autotask && {
      system,
      psa: autotask(context, settings.autotask, secret, settings.closeStatus),
      connectwise: null,
    }
  );
}

/** Returns the system's company that is mapped to one of ours, or a message that there is none. */
export async function findMappedCompany(
  tx: TenantTx,
  { settings }: Pick<StoredTicketing, 'settings'>,
  company: CompanyN,
  name: string,
): Promise<{ readonly remote: Named } | { readonly blocked: string }> {
  const system = SYSTEM_NAMES[settings.system];
  const row = await tx.sql
    .selectFrom('ticket_company')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('company_n', '=', company)
    .executeTakeFirst();
  if (!row) return { blocked: MESSAGES.ticketNotMapped({ company: name, system }) };
  return row.health === 'missing'
    ? { blocked: MESSAGES.ticketCompanyMissing({ company: name, system }) }
    : { remote: { id: row.remote_id, name: row.remote_name } };
}

/** Returns why no ticket can be opened for a company, as a sentence; null if one can. */
export async function blockedFor(
  tx: TenantTx,
  context: AppContext,
  ticketing: StoredTicketing,
  company: CompanyN,
  name: string,
): Promise<string | null> {
  const { settings } = ticketing;
  if (settings.system === 'own') return null;
  if (
    settings.board === null ||
    openStatus(ticketing) === null ||
    (await loadConnected(tx, context, ticketing)) === null
  )
    return MESSAGES.ticketingNotSet({ system: SYSTEM_NAMES[settings.system] });
  const mapped = await findMappedCompany(tx, ticketing, company, name);
  return 'blocked' in mapped ? mapped.blocked : null;
}

/** Returns the value or the `PsaError`. Rethrows any other error, which is a bug. */
export async function catchTicketingError<T>(
  work: () => Promise<T>,
): Promise<
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: PsaError }
> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof PsaError) return { ok: false, error };
    throw error;
  }
}
