import { toLowerCaseId } from '#contract/id-schema.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { CompanyN, UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { utcText, wallText } from '#contract/runs/csv.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { hasAuthorityOver, seesUser } from '#contract/users/authority.ts';
import type { CompanyRow, UserRow } from '#contract/users/rows.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { SessionContext, Handlers, Principal } from '../../platform/http/handler.ts';
import { busyFor } from '../../platform/http/envelope.ts';
import { fetchOutbound } from '../../platform/outbound/fetch.ts';
import { readSecret } from '../../platform/outbound/secret.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { hasAbility } from '../../platform/auth/authorization.ts';
import { by, FORBIDDEN_RESULT, NOT_FOUND_RESULT } from '../../platform/auth/guards.ts';
import {
  loadCompany,
  findCompanies,
  listedCompanies,
  seesCompany,
} from '../../platform/tenancy/company-list.ts';
import { isCompanyNameTaken } from '../../platform/tenancy/company-names.ts';
import { deleteCompanyRows } from '../../platform/tenancy/delete-company.ts';
import { csvAnswer, loadZone } from '../../platform/http/csv-response.ts';
import { vacCompanies } from './vspc-companies.ts';
import type { Ask as AskOutside } from './vspc-companies.ts';
import { companyMessages as t } from './messages.en.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

type Fields = Omit<ParsedInputOf<'editCompany'>, 'id'>;
type Names =
  | 'listCompanies'
  | 'reportCompanies'
  | 'getCompany'
  | 'createCompany'
  | 'editCompany'
  | 'deleteCompany'
  | 'listVacCompanies'
  | 'listUsersToNotify'
  | 'exportCompanies';

export function companyHandlers(context: AppContext, outside?: AskOutside): Pick<Handlers, Names> {
  const read = <T>(
    ctx: SessionContext,
    work: (tx: TenantTx, session: Principal) => Promise<T>,
  ): Promise<T> =>
    context.store.tenant(ctx.tenant, (tx) => work(tx, ctx.session), { readOnly: true });
  const askOutside = outside ?? fetching(context);

  return {
    listCompanies: (_, ctx) =>
      read(ctx, async (tx, session) =>
        ok(await listedCompanies(tx, session, await findCompanies(tx, session))),
      ),

    reportCompanies: ({ page = 1, pageSize = PAGE_SIZE, ...query }, ctx) =>
      read(ctx, async (tx, session) => {
        const found = await findCompanies(tx, session, query);
        return ok({
          rows: await listedCompanies(
            tx,
            session,
            found.slice((page - 1) * pageSize, page * pageSize),
          ),
          count: found.length,
          page,
          pageSize,
        });
      }),

    getCompany: ({ id }, ctx) =>
      read(ctx, async (tx, session) => {
        const company = await loadCompany(tx, session, id);
        if (!company) return NOT_FOUND_RESULT;
        const [listed] = await listedCompanies(tx, session, [company]);
        return listed
          ? ok<OutputOf<'getCompany'>>({
              ...listed,
              counts: await loadCounts(tx, company.n, listed.users.length),
            })
          : NOT_FOUND_RESULT;
      }),

    createCompany: (fields, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        const { session } = ctx;
        // A user with access to some companies could not see the new one.
        if (session.companies !== null) return FORBIDDEN_RESULT;
        await tx.lock();
        const refused = await notFitting(tx, session, fields, null);
        if (refused) return refused;
        const n = await tx.take('company', 1);
        const id = context.chance.uuid();
        const row: CompanyRow = { n, id, name: fields.name, madeAt: ctx.now };
        await tx.append(
          [
            {
              event: { type: 'company.created@1', data: { n, id, name: fields.name } },
              company: n,
              entity: `company:${n}`,
            },
            ...(Object.keys(fields).some((field) => field !== 'name')
              ? [changed(row, fields)]
              : []),
          ],
          by(ctx),
        );
        await audit(tx, context, ctx, { what: 'company.made', user: null, detail: { company: n } });
        return await shown(tx, ctx, id);
      }),

    editCompany: ({ id, ...fields }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        const { session } = ctx;
        await tx.lock();
        const company = await loadCompany(tx, session, id);
        if (!company) return NOT_FOUND_RESULT;
        const refused = await notFitting(tx, session, fields, company);
        if (refused) return refused;
        await tx.append([changed(company, fields)], by(ctx));
        await audit(tx, context, ctx, {
          what: 'company.changed',
          user: null,
          detail: { company: company.n, fields: Object.keys(fields).join(', ') },
        });
        return await shown(tx, ctx, id);
      }),

    deleteCompany: ({ id }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        const { session } = ctx;
        if (session.companies !== null) return FORBIDDEN_RESULT;
        await tx.lock();
        const company = await loadCompany(tx, session, id);
        if (!company) return NOT_FOUND_RESULT;
        await deleteCompanyRows(tx, context, ctx, company);
        return ok({});
      }),

    /**
     * The other system is called outside of any transaction. The result includes the companies that
     * connections to consoles found; they are the only ones if no console is configured for
     * sign-in.
     */
    async listVacCompanies(_, ctx) {
      const { url, key, ours, collected } = await read(ctx, async (tx, session) => {
        const settings = await loadProviderSettings(tx);
        return {
          url: settings.sso?.vac?.url ?? null,
          key: await readSecret(tx, context, 'vac'),
          ours: (await tx.all('company')).filter((one) => seesCompany(session, one)),
          collected: await collectedCompanies(tx),
        };
      });
      if (ctx.session.companies !== null) return FORBIDDEN_RESULT;
      const vac = url === null || key === null ? [] : await vacCompanies(url, key, askOutside);
      if ((url === null || key === null) && collected === null)
        return ok({ configured: false, companies: [] });
      const there =
        vac === null && collected === null
          ? null
          : [
              ...new Map(
                [...(collected ?? []), ...(vac ?? [])].map((one) => [one.id.toLowerCase(), one]),
              ).values(),
            ];
      if (there === null) return failed({ ...busyFor(5_000), message: MESSAGES.getCompanies });
      const linked = new Map(
        ours.flatMap((one) => {
          const id = one.applications?.vac.id ?? null;
          return id === null ? [] : [[id, one.id] as const];
        }),
      );
      return ok({
        configured: true,
        companies: there.map(({ id, name }) => ({ id, name, companyId: linked.get(id) ?? null })),
      });
    },

    listUsersToNotify: ({ veeamId }, ctx) =>
      read(ctx, async (tx, session) => {
        if (!hasAbility(session, 'common.companies') && !hasAbility(session, 'o365.jobs'))
          return FORBIDDEN_RESULT;
        const company = (await tx.all('company')).find(
          (one) =>
            seesCompany(session, one) &&
            (one.veeamId === veeamId || one.id === veeamId.toLowerCase()),
        );
        if (!company) return NOT_FOUND_RESULT;
        const users = new Map(
          (await tx.all('user'))
            .filter(
              (user) =>
                user.deletedAt === null &&
                (user.companies === null || user.companies.includes(company.n)),
            )
            .map((user) => [user.id, user]),
        );
        const ids = (company.notify ?? []).filter((id) => users.has(id));
        const people =
          ids.length === 0
            ? []
            : await tx.sql
                .selectFrom('person')
                .select(['id as _id', 'name', 'username', 'email'])
                .where('tenant_id', '=', tx.tenant)
                .where('id', 'in', ids)
                .orderBy('username')
                .execute();
        return ok({ users: people });
      }),

    exportCompanies: (query, ctx) =>
      read(ctx, async (tx, session) => {
        const zone = await loadZone(tx);
        const rows = await listedCompanies(tx, session, await findCompanies(tx, session, query));
        return csvAnswer('Companies', ctx.now, zone, [
          [
            t.name,
            t.users,
            t.notified,
            t.veeamId,
            t.vspcId,
            t.cloudDirectorId,
            t.zertoId,
            t.microsoft365,
            t.organizations,
            t.created({ zone }),
            t.createdUtc,
          ],
          ...rows.map(
            ({
              name,
              users,
              notify,
              veeamId,
              applications: { vac, vcd, zerto, office365 },
              madeAt,
            }) => [
              name,
              users.map((one) => one.username).join(', '),
              notify.map((one) => one.username).join(', '),
              veeamId,
              vac.id,
              vcd.id,
              zerto.id,
              office365.enabled ? t.yes : t.no,
              office365.organizations.map((one) => one.id).join(', '),
              wallText(madeAt, zone),
              utcText(madeAt),
            ],
          ),
        ]);
      }),
  };
}

/** Returns the event that stores all fields of the company, with the changes applied. */
const changed = (row: CompanyRow, fields: Partial<Fields>) => ({
  event: {
    type: 'company.updated@1' as const,
    data: {
      n: row.n,
      name: fields.name ?? row.name,
      applications: fields.applications ?? row.applications ?? NO_APPLICATIONS,
      veeamId: fields.veeamId === undefined ? (row.veeamId ?? null) : fields.veeamId,
      notify: [...new Set(fields.notify ?? row.notify ?? [])],
    },
  },
  company: row.n,
  entity: `company:${row.n}`,
});

async function shown(
  tx: TenantTx,
  ctx: SessionContext,
  id: string,
): Promise<Result<CompanyListed>> {
  const { session } = ctx;
  const company = await loadCompany(tx, session, id);
  const [listed] = company ? await listedCompanies(tx, session, [company]) : [];
  return listed ? ok(listed) : NOT_FOUND_RESULT;
}

/**
 * Returns why the fields cannot be saved: the name is taken, or the caller has no authority over a
 * user; null if they can.
 */
async function notFitting(
  tx: TenantTx,
  session: Principal,
  { name, notify }: Partial<Fields>,
  company: CompanyRow | null,
): Promise<Result<never> | null> {
  if (name !== undefined && (await isCompanyNameTaken(tx, name, company)))
    return failed({ kind: 'conflict', message: MESSAGES.companyNameTaken });
  return notify === undefined
    ? null
    : notNotifiable(tx, session, notify.map(toLowerCaseId), company?.notify ?? []);
}

/**
 * Returns why a list of users to notify cannot be saved; null if it can. Users who stay on the list
 * are not checked. Anyone can remove a deleted user.
 */
async function notNotifiable(
  tx: TenantTx,
  session: Principal,
  next: readonly UserId[],
  before: readonly UserId[],
): Promise<Result<never> | null> {
  const users = await tx.rows('user', [...new Set([...next, ...before])]);
  const active = (id: UserId): UserRow | null => {
    const user = users.get(id);
    return user?.deletedAt === null ? user : null;
  };
  if (next.some((id) => active(id) === null)) return NOT_FOUND_RESULT;
  for (const id of new Set([
    ...next.filter((one) => !before.includes(one)),
    ...before.filter((one) => !next.includes(one)),
  ])) {
    const user = active(id);
    if (user === null || id === session.userId || hasAuthorityOver(session, user)) continue;
    return seesUser(session, user) ? FORBIDDEN_RESULT : NOT_FOUND_RESULT;
  }
  return null;
}

async function loadCounts(
  tx: TenantTx,
  n: CompanyN,
  users: number,
): Promise<OutputOf<'getCompany'>['counts']> {
  const jobs = (
    await tx.sql
      .selectFrom('job')
      .select('n')
      .where('tenant_id', '=', tx.tenant)
      .where('company_n', '=', n)
      .execute()
  ).map((job) => job.n);
  const runs =
    jobs.length === 0
      ? 0
      : (
          await tx.sql
            .selectFrom('run')
            .select((e) => e.fn.countAll<number>().as('runs'))
            .where('tenant_id', '=', tx.tenant)
            .where('job_n', 'in', jobs)
            .executeTakeFirstOrThrow()
        ).runs;
  const keys = (await tx.all('key')).filter(
    (key) => key.company === n && key.revokedAt === null,
  ).length;
  return { jobs: jobs.length, runs, users, keys };
}

const fetching =
  (context: AppContext): AskOutside =>
  async (url, headers) => {
    const answer = await fetchOutbound(context, url, { headers });
    return { status: answer.status, text: await answer.text() };
  };

/**
 * Returns the companies that connections to consoles found; null if there is no such connection.
 */
async function collectedCompanies({
  sql,
  tenant,
}: TenantTx): Promise<{ id: string; name: string }[] | null> {
  const connections = await sql
    .selectFrom('connection')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('kind', '=', 'vspc')
    .execute();
  if (connections.length === 0) return null;
  return sql
    .selectFrom('collected')
    .select(['uid as id', 'name'])
    .where('tenant_id', '=', tenant)
    .where('entity', '=', 'companies')
    .where(
      'connection_id',
      'in',
      connections.map(({ id }) => id),
    )
    .orderBy('name')
    .execute();
}
