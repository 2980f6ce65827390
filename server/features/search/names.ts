import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { ticketNumber } from '#contract/tickets/tickets.ts';
import type { TicketRow } from '#contract/tickets/tickets.ts';
import type { CompanyN, JobN } from '#contract/ids.ts';
import type { FoundOut } from '#contract/search/calls.ts';
import type { RepositoryRow } from '#contract/runs/rows.ts';
import { seesUser } from '#contract/users/authority.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { arrayText, ofReach } from '#server/platform/queries/query.ts';
import type { QueryScope } from '#server/platform/queries/query.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import { owns } from '../rules/handlers.ts';
import { reads } from '../hints/handlers.ts';
import { getFullScore, pickBest, bitsIn, getBits, byFit } from './match-words.ts';
import type { Bits } from './match-words.ts';

/**
 * The search: the user, the words, and the limit for each kind. `names`: the names of the companies
 * that the user sees. `bits`: the words that these names contain.
 */
export interface Seek {
  readonly tx: TenantTx;
  readonly session: Principal;
  readonly reach: QueryScope;
  readonly words: readonly string[];
  readonly limit: number;
  readonly companies: readonly CompanyRow[];
  readonly names: ReadonlyMap<CompanyN, string>;
  readonly bits: ReadonlyMap<CompanyN, Bits>;
}
type Part<K extends keyof FoundOut> = NonNullable<FoundOut[K]>;

/** The number of newest tickets that are searched. */
const MAX_TICKETS = 5_000;

export async function seekFor(
  tx: TenantTx,
  session: Principal,
  reach: QueryScope,
  words: readonly string[],
  limit: number,
): Promise<Seek> {
  const scope = toScope(session);
  const companies = (await tx.all('company')).filter(
    ({ n, deletedAt }) => deletedAt === undefined && isCompanyInScope(scope, n),
  );
  return {
    tx,
    session,
    reach,
    words,
    limit,
    companies,
    names: new Map(companies.map(({ n, name }) => [n, name])),
    bits: new Map(
      companies.flatMap(({ n, name }) => {
        const bits = bitsIn(name.toLowerCase(), words);
        return bits > 0 ? [[n, bits] as const] : [];
      }),
    ),
  };
}

const cut = <T>(
  rows: readonly T[],
  limit: number,
): { readonly rows: T[]; readonly more: boolean } => ({
  rows: rows.slice(0, limit),
  more: rows.length > limit,
});

/** Returns the bits of a row's company as SQL. */
export function companyBits({ bits }: Pick<Seek, 'bits'>, n: RawBuilder<number>): RawBuilder<Bits> {
  if (bits.size === 0) return sql`0`;
  const max = Math.max(...bits.keys());
  return sql`coalesce(((select ${arrayText(Array.from({ length: max }, (_, i) => bits.get(i + 1) ?? 0))}::text::int[]))[${n}], 0)`;
}

export function searchCompanies({ companies, words, bits, limit }: Seek): Part<'companies'> {
  const all = getFullScore(words);
  const order = byFit(words);
  return cut(
    companies
      .filter(({ n }) => bits.get(n) === all)
      .toSorted((a, b) => order(a.name, b.name) || a.n - b.n)
      .map(({ n, id, name }) => ({ n, _id: id, name })),
    limit,
  );
}

/** A job whose name, computer or company contains some of the words. */
export interface JobHit {
  readonly n: JobN;
  readonly company: CompanyN;
  readonly bits: Bits;
  readonly name: string;
  readonly computer: string;
}

/** Returns every job that contains a word, in one pass over the jobs. */
export async function jobHits(seek: Seek): Promise<readonly JobHit[]> {
  const { tx, reach, words } = seek;
  if (words.length === 0) return [];
  const { rows } = await sql<JobHit>`select n, company, bits, name, computer from (
    select n, company, name, computer, ${getBits(sql`key`, words)} | ${companyBits(seek, sql`company`)} as bits from (
      select n, company_n as company, row->>'name' as name, row->>'computer' as computer, lower((row->>'name') || chr(10) || (row->>'computer')) as key from job where ${ofReach('job', tx.tenant, reach)} offset 0) as one offset 0) as hit
    where bits > 0`.execute(tx.sql);
  return rows;
}

export function searchJobs({ words, names, limit }: Seek, hits: readonly JobHit[]): Part<'jobs'> {
  const all = getFullScore(words);
  const order = byFit(words);
  const found = pickBest(
    hits.filter(({ bits }) => bits === all),
    limit + 1,
    (a, b) =>
      order(a.name, b.name) ||
      order(names.get(a.company) ?? '', names.get(b.company) ?? '') ||
      a.n - b.n,
  );
  return cut(
    found.map(({ n, name, computer, company }) => ({
      n,
      name,
      computer,
      company,
      companyName: names.get(company) ?? '',
    })),
    limit,
  );
}

export async function loadComputers(seek: Seek): Promise<Part<'computers'>> {
  const { tx, reach, words, names, limit } = seek;
  const order = byFit(words);
  const { rows } = await sql<{
    id: string;
    company: CompanyN;
    name: string;
    at: number;
  }>`select id, company, name, at from (
      select id, company_n as company, row->>'hostName' as name, seen_at as at, lower(row->>'hostName') as key from computer where ${ofReach('computer', tx.tenant, reach)} offset 0) as one
    where ${getBits(sql`key`, words)} | ${companyBits(seek, sql`company`)} = ${sql.lit(getFullScore(words))}`.execute(
    tx.sql,
  );
  return cut(
    pickBest(
      rows,
      limit + 1,
      (a, b) => order(a.name, b.name) || a.company - b.company || (a.id < b.id ? -1 : 1),
    ).map(({ id, company, name, at }) => ({
      _id: id,
      name,
      seenAt: at,
      company,
      companyName: names.get(company) ?? '',
    })),
    limit,
  );
}

export async function searchRepositories(seek: Seek): Promise<Part<'repositories'>> {
  const { tx, reach, words, names, limit } = seek;
  const order = byFit(words);
  const { rows } = await sql<{ company: CompanyN; row: RepositoryRow }>`select company, row from (
      select company_n as company, row, lower((row->>'name') || chr(10) || coalesce(row->>'hostName', '')) as key from repository where ${ofReach('repository', tx.tenant, reach)} offset 0) as one
    where ${getBits(sql`key`, words)} | ${companyBits(seek, sql`company`)} = ${sql.lit(getFullScore(words))}`.execute(
    tx.sql,
  );
  return cut(
    rows
      .sort((a, b) => order(a.row.name, b.row.name) || (a.row.id < b.row.id ? -1 : 1))
      .map(({ company, row: { id, name, hostName } }) => ({
        _id: id,
        name,
        hostName,
        company,
        companyName: names.get(company) ?? '',
      })),
    limit,
  );
}

/** Sorted newest first. */
export async function loadTickets(seek: Seek): Promise<Part<'tickets'>> {
  const { tx, reach, words, names, limit } = seek;
  const { rows } = await sql<{ row: TicketRow }>`select row from (
      select number, company_n as company, row, lower((row->>'subject') || chr(10) || coalesce(row->'remote'->>'number', 'd-' || number)) as key from ticket
      where ${ofReach('ticket', tx.tenant, reach)} and open >= 0 order by number desc limit ${MAX_TICKETS}) as one
    where ${getBits(sql`key`, words)} | ${companyBits(seek, sql`company`)} = ${sql.lit(getFullScore(words))} order by number desc limit ${limit + 1}`.execute(
    tx.sql,
  );
  return cut(
    rows.map(({ row }) => ({
      _id: row.id,
      number: ticketNumber(row),
      subject: row.subject,
      open: !row.status.closed,
      company: row.company,
      companyName: names.get(row.company) ?? '',
    })),
    limit,
  );
}

/** Only users that the caller manages. */
export async function loadUsers({ tx, session, words, limit }: Seek): Promise<Part<'users'>> {
  const { rows } = await sql<{
    id: string;
    username: string;
    name: string;
  }>`select id, username, name from (
      select id, username, name, lower(username || chr(10) || name || chr(10) || coalesce(email, '')) as key from person where tenant_id = ${tx.tenant} offset 0) as one
    where ${getBits(sql`key`, words)} = ${sql.lit(getFullScore(words))}`.execute(tx.sql);
  const users = await tx.rows(
    'user',
    rows.map(({ id }) => id),
  );
  const order = byFit(words);
  const stored = rows.filter(({ id }) => {
    const user = users.get(id);
    return user?.deletedAt === null && (id === session.userId || seesUser(session, user));
  });
  return cut(
    stored
      .sort((a, b) => order(a.name, b.name) || (a.id < b.id ? -1 : 1))
      .map(({ id, username, name }) => ({ _id: id, username, name })),
    limit,
  );
}

export async function loadRules({ tx, session, words, limit }: Seek): Promise<Part<'rules'>> {
  const scope = toScope(session);
  return named(
    (await tx.all('rule')).filter((rule) => rule.removedAt === null && owns(scope, rule.when)),
    words,
    limit,
  );
}

export async function loadHints({ tx, session, words, limit }: Seek): Promise<Part<'hints'>> {
  const scope = toScope(session);
  return named(
    (await tx.all('hint')).filter((hint) => hint.removedAt === null && reads(scope, hint)),
    words,
    limit,
  );
}

function named(
  all: readonly { readonly id: string; readonly name: string }[],
  words: readonly string[],
  limit: number,
): Part<'rules'> {
  const full = getFullScore(words);
  const order = byFit(words);
  return cut(
    all
      .filter(({ name }) => bitsIn(name.toLowerCase(), words) === full)
      .toSorted((a, b) => order(a.name, b.name) || (a.id < b.id ? -1 : 1))
      .map(({ id, name }) => ({ _id: id, name })),
    limit,
  );
}
