import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, Ms, TenantId, UserId } from '#contract/ids.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { makeUser } from '../features/users/create-user.ts';
import type { TenantTx } from '../platform/db/store.ts';
import { makeTenant } from '../platform/db/tenants.ts';
import type { AppContext } from '../platform/app-context.ts';
import { mixed } from './random.ts';
import type { SeedActors } from './generate-history.ts';
import { PAST_DAYS, type ProviderPlan } from './plan.ts';

/** Returns the start of a provider's history. */
export const getHistoryStart = ({ bornAt }: ProviderPlan): Ms => bornAt - PAST_DAYS * DAY_MS;

/**
 * Creates what is missing of a provider: the provider, its companies and keys, its users. If
 * nothing is missing, it creates nothing and asks for no password. `master` manages the provider.
 */
export async function provision(
  context: AppContext,
  plan: ProviderPlan,
  password: () => Promise<string>,
  master: TenantId | null = null,
): Promise<void> {
  const since = getHistoryStart(plan);
  if (!(await context.store.tenants()).includes(plan.id)) {
    await makeTenant(context.store, {
      tenant: plan.id,
      host: plan.host,
      branding: plan.branding,
      isDefault: plan.host === null,
      master,
    });
  }
  await context.store.tenant(plan.id, async (tx) => {
    await tx.lock();
    if ((await tx.all('company')).length > 0) return;
    const first = await tx.take('company', plan.companies.length);
    const companies = plan.companies.map(({ id, name }, place): NewEvent => ({
      company: first + place,
      entity: `company:${first + place}`,
      event: { type: 'company.created@1', data: { n: first + place, id, name } },
    }));
    const keys = plan.keys.map(({ id, name, company, tool, managed }): NewEvent => ({
      company: first + company,
      entity: `key:${id}`,
      event: {
        type: 'key.created@1',
        data: {
          id,
          name,
          company: first + company,
          tool,
          managed,
          hint: mixed(plan.seed, id).toString(36).slice(-4).padStart(4, '0'),
        },
      },
    }));
    await tx.append([...companies, ...keys], {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: since,
    });
  });
  const known = new Set(await loadPeople(context, plan.id).then((people) => people.keys()));
  const then: AppContext = { ...context, clock: { ...context.clock, now: () => since } };
  const companies = await context.store.tenant(plan.id, (tx) => loadCompanies(tx, plan), {
    readOnly: true,
  });
  for (const { username, name, roles, company } of plan.people) {
    if (known.has(username)) continue;
    const n = company === null ? undefined : companies[company];
    await makeUser(then, plan.id, {
      username,
      name,
      email: `${name.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.com`,
      password: await password(),
      roles,
      companies: n === undefined ? null : [n],
    });
  }
}

/**
 * Returns the numbers by the plan's indexes, the provider's keys, and its remaining technicians.
 */
export async function loadSeedActors(
  context: AppContext,
  plan: ProviderPlan,
  until: Ms,
  bootedAt: Ms = 0,
): Promise<SeedActors> {
  const people = await loadPeople(context, plan.id);
  return context.store.tenant(
    plan.id,
    async (tx) => {
      const ids = plan.keys.map(({ id }) => id);
      const keys = await tx.rows('key', ids);
      return {
        since: getHistoryStart(plan),
        until,
        bootedAt,
        companies: await loadCompanies(tx, plan),
        keys: ids.map((id): IngestKeyRow => keys.get(id) ?? missing(id)),
        technicians: plan.people.flatMap(({ username, technician }): UserId[] => {
          const id = technician ? people.get(username) : undefined;
          return id === undefined ? [] : [id];
        }),
        heard: new Set(
          [...keys.values()].flatMap(({ id, firstResultAt }) =>
            firstResultAt === null ? [] : [id],
          ),
        ),
      };
    },
    { readOnly: true },
  );
}

async function loadCompanies(tx: TenantTx, plan: ProviderPlan): Promise<CompanyN[]> {
  const numbers = new Map((await tx.all('company')).map(({ id, n }) => [id, n]));
  return plan.companies.map(({ id }) => numbers.get(id) ?? missing(id));
}

const loadPeople = (context: AppContext, tenant: TenantId): Promise<Map<string, UserId>> =>
  context.store.tenant(
    tenant,
    async ({ sql }) =>
      new Map(
        (
          await sql
            .selectFrom('person')
            .select(['username', 'id'])
            .where('tenant_id', '=', tenant)
            .execute()
        ).map(({ username, id }) => [username, id]),
      ),
    { readOnly: true },
  );

function missing(id: string): never {
  throw new Error(`The estate's ${id} is not there.`);
}
