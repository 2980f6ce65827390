import { NOBODY } from '../../platform/auth/nobody.ts';
import { sql } from 'kysely';
import { getLastError } from '#contract/last-error.ts';
import type { TicketFormOut, TicketOut, TicketWhole } from '#contract/tickets/calls.ts';
import { type TicketRow, ticketNumber } from '#contract/tickets/tickets.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { SessionContext } from '../../platform/http/handler.ts';
import { hasAbility } from '../../platform/auth/authorization.ts';
import { escapeLike } from '#server/platform/db/like.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { type SyncScope, isCompanyInScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  blockedFor,
  type StoredTicketing,
  findMappedCompany,
  getPriorities,
  getStatuses,
} from './ticketing.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';

export interface TicketsQuery {
  readonly search?: string | undefined;
  readonly state?: 'open' | 'closed' | 'all' | undefined;
  readonly company?: CompanyN | undefined;
  readonly from?: Ms;
  readonly to?: Ms;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}
interface Paged<T> {
  readonly rows: T[];
  readonly count: number;
  readonly page: number;
  readonly pageSize: number;
}

/**
 * Returns one page of the tickets whose companies the caller sees, and the total. Words are
 * searched in number, subject and company.
 */
export async function ticketPage(
  tx: TenantTx,
  scope: SyncScope,
  { search = '', state = 'open', company, from, to, page = 1, pageSize = PAGE_SIZE }: TicketsQuery,
): Promise<Paged<TicketRow>> {
  const of = ofScope(scope, 't');
  const words = `%${escapeLike(search.toLowerCase())}%`;
  const found = sql`from ticket as t where t.tenant_id = ${tx.tenant} and ${of} and ${state === 'all' ? sql`t.open >= 0` : sql`t.open = ${state === 'open' ? 1 : 0}`}
    ${company === undefined ? sql`` : sql`and t.company_n = ${company}`} ${from === undefined ? sql`` : sql`and t.made_at >= ${from}`} ${to === undefined ? sql`` : sql`and t.made_at < ${to}`}
    ${
      search === ''
        ? sql``
        : sql`and (lower(t.row->>'subject') like ${words} or 'd-' || t.number like ${words} or lower(coalesce(t.row->'remote'->>'number', '')) like ${words}
      or exists (select from company as c where c.tenant_id = ${tx.tenant} and c.n = t.company_n and lower(c.row->>'name') like ${words}))`
    }`;
  const {
    rows: [counted],
  } = await sql<{ n: number }>`select count(*)::int as n ${found}`.execute(tx.sql);
  const { rows } = await sql<{
    row: TicketRow;
  }>`select t.row ${found} order by t.number desc limit ${pageSize} offset ${(page - 1) * pageSize}`.execute(
    tx.sql,
  );
  return { rows: rows.map(({ row }) => row), count: counted?.n ?? 0, page, pageSize };
}

const listed = (numbers: ReadonlySet<number>): string => `{${[...numbers].join(',')}}`;
const ofScope = ({ companies, deleted }: SyncScope, table: string) => {
  const n = sql.ref(`${table}.company_n`);
  if (companies !== null) return sql<boolean>`${n} = any(${listed(companies)}::text::bigint[])`;
  return deleted.size === 0
    ? sql<boolean>`true`
    : sql<boolean>`${n} <> all(${listed(deleted)}::text::bigint[])`;
};

/**
 * Returns whether a user can read the ids that a ticket's company has in other systems, which
 * requires permission to read tickets.
 */
export const readsElsewhere = ({ session }: SessionContext): boolean =>
  hasAbility(session, 'monitoring.tickets');

/**
 * Returns tickets as in the API, with related data. `elsewhere`: includes the ids of their
 * companies in other systems.
 */
export async function toTicketOutput(
  tx: TenantTx,
  rows: readonly TicketRow[],
  elsewhere: boolean,
): Promise<TicketOut[]> {
  if (rows.length === 0) return [];
  const { tenant, sql: db } = tx;
  const ids = rows.map(({ id }) => id);
  const companies = await tx.rows('company', [...new Set(rows.map(({ company }) => company))]);
  const counts = new Map(
    (
      await db
        .selectFrom('problem')
        .select((e) => [
          'ticket_id',
          e.fn.countAll<number>().as('all'),
          e.fn.count<number>('n').filterWhere('closed_at', 'is', null).as('open'),
        ])
        .where('tenant_id', '=', tenant)
        .where('ticket_id', 'in', ids)
        .groupBy('ticket_id')
        .execute()
    ).map((one) => [one.ticket_id, one]),
  );
  const works = new Map(
    (
      await db
        .selectFrom('ticket_work')
        .select(['ticket_id', 'fault'])
        .where('tenant_id', '=', tenant)
        .where('ticket_id', 'in', ids)
        .execute()
    ).map((one) => [one.ticket_id, one]),
  );
  const names = new Map(
    (
      await db
        .selectFrom('person')
        .select(['id', 'name'])
        .where('tenant_id', '=', tenant)
        .where(
          'id',
          'in',
          rows
            .map(({ madeBy }) => madeBy)
            .filter((id) => id.length === 36)
            .concat(NOBODY),
        )
        .execute()
    ).map(({ id, name }) => [id, name]),
  );
  return rows.map((row) => {
    const company = companies.get(row.company);
    const work = works.get(row.id);
    const count = counts.get(row.id);
    const {
      id,
      system,
      remote,
      subject,
      status,
      priority,
      owner,
      madeBy,
      madeAt,
      changedAt,
      closedAt,
      closedBy,
    } = row;
    const { vac, vcd, zerto } = (elsewhere ? company?.applications : undefined) ?? NO_APPLICATIONS;
    return {
      _id: id,
      number: ticketNumber(row),
      company: row.company,
      companyName: company?.name ?? '',
      system,
      url: remote?.url ?? null,
      subject,
      status,
      priority,
      owner,
      problems: count?.all ?? 0,
      openProblems: count?.open ?? 0,
      waiting: work !== undefined,
      ...getLastError(work?.fault ?? null),
      madeBy:
        madeBy === 'clock' ? actorMessages.system : (names.get(madeBy) ?? actorMessages.formerUser),
      madeAt,
      changedAt,
      closedAt,
      closedBy,
      applications: { vac, vcd, zerto },
    };
  });
}

/** Returns a ticket that the caller can see; null if there is none. */
export async function ticketSeen(
  tx: TenantTx,
  scope: SyncScope,
  id: string,
): Promise<TicketRow | null> {
  const row = (await tx.rows('ticket', [id])).get(id);
  return row && row.deletedAt === null && isCompanyInScope(scope, row.company) ? row : null;
}

const MAX_LISTED = 500;
/** Returns a ticket with all its data. */
export async function loadTicketDetails(
  tx: TenantTx,
  row: TicketRow,
  elsewhere: boolean,
): Promise<TicketWhole | null> {
  const [one] = await toTicketOutput(tx, [row], elsewhere);
  if (!one) return null;
  const ns = (
    await tx.sql
      .selectFrom('problem')
      .select('n')
      .where('tenant_id', '=', tx.tenant)
      .where('ticket_id', '=', row.id)
      .orderBy('n', 'desc')
      .limit(MAX_LISTED)
      .execute()
  ).map(({ n }) => n);
  const problems = [...(await tx.rows('problem', ns)).values()];
  const jobs = await tx.rows('job', [...new Set(problems.map(({ job }) => job))]);
  const causes = await tx.rows('cause', [...new Set(problems.map(({ cause }) => cause))]);
  return {
    ...one,
    description: row.description,
    contact: row.contact,
    list: problems.map(({ n, lastRun, job, cause, state, runs, openedAt, closedAt }) => ({
      n,
      run: lastRun,
      job: jobs.get(job)?.name ?? '',
      computer: jobs.get(job)?.computer ?? '',
      state,
      cause: causes.get(cause)?.template ?? '',
      runs,
      openedAt,
      closedAt,
    })),
  };
}

/** TICKET-8: returns the available choices, and whether a ticket can be opened at all. */
export async function loadForm(
  tx: TenantTx,
  context: AppContext,
  ticketing: StoredTicketing,
  company: CompanyRow,
): Promise<TicketFormOut> {
  const { settings } = ticketing;
  const own = settings.system === 'own';
  const mapped = own ? null : await findMappedCompany(tx, ticketing, company.n, company.name);
  return {
    system: settings.system,
    statuses: [...getStatuses(ticketing)],
    priorities: [...getPriorities(ticketing)],
    priority: own ? null : settings.priority,
    owner: null,
    people: own ? await loadTicketPeople(tx, company.n) : [],
    company: company.n,
    companyName: company.name,
    blocked: await blockedFor(tx, context, ticketing, company.n, company.name),
    remoteCompany: mapped !== null && 'remote' in mapped ? mapped.remote.name : null,
  };
}

/** Returns the users who see the company. */
export async function loadTicketPeople(
  tx: TenantTx,
  company: CompanyN,
): Promise<{ id: string; name: string }[]> {
  const users = new Map((await tx.all('user')).map((user) => [user.id, user]));
  const people = await tx.sql
    .selectFrom('person')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy('name')
    .execute();
  return people.filter(({ id }) => {
    const user = users.get(id);
    return (
      user !== undefined &&
      user.deletedAt === null &&
      (user.companies === null || user.companies.includes(company))
    );
  });
}
