import { ENTITIES_OF, type Entity } from '#contract/connections/connection.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { seal } from '../platform/crypto/vault.ts';
import type { AppContext } from '../platform/app-context.ts';
import { getUuid } from './random.ts';
import type { ProviderPlan } from './plan.ts';

const ROWS: Readonly<Partial<Record<Entity, number>>> = {
  'companies': 5,
  'servers': 4,
  'agents': 61,
  'jobs': 118,
  'agent-jobs': 64,
  'office365-jobs': 7,
  'sessions': 421,
  'repositories': 9,
  'computers': 83,
  'alarms': 2,
  'licences': 3,
};

/**
 * Creates a disabled connection to a console that doesn't exist, with two unlinked companies. Runs
 * only for new demo data, so a connection that somebody removes doesn't come back.
 */
export async function settleConnections(context: AppContext, plan: ProviderPlan): Promise<void> {
  const now = context.clock.now();
  const id = getUuid(plan.seed, 'connection', 0);
  if (now - plan.bornAt > HOUR_MS) return;
  await context.store.tenant(plan.id, async (tx) => {
    const tenant_id = plan.id;
    const [first, second, third] = (await tx.all('company'))
      .filter(({ deletedAt }) => deletedAt === undefined)
      .toSorted((a, b) => a.n - b.n);
    if (
      !first ||
      !second ||
      !third ||
      (await tx.sql
        .selectFrom('connection')
        .select('id')
        .where('tenant_id', '=', tenant_id)
        .executeTakeFirst())
    )
      return;
    const sealed = await seal(
      tx,
      context,
      { table: 'connection', column: 'sealed', row: id },
      'a key of a console that is not there',
    );
    await tx.sql
      .insertInto('connection')
      .values({
        tenant_id,
        id,
        kind: 'vspc',
        name: 'Console of the head office',
        address: 'https://vspc.example.com:1280',
        company_n: null,
        sign_in: 'key',
        username: null,
        sealed,
        certificate: null,
        every_sec: 300,
        enabled: false,
        made_at: now - 30 * HOUR_MS,
        changed_at: now - HOUR_MS,
      })
      .execute();
    for (const entity of ENTITIES_OF.vspc) {
      await tx.sql
        .insertInto('collection')
        .values({
          tenant_id,
          connection_id: id,
          entity,
          status: 'succeeded',
          started_at: now - HOUR_MS,
          succeeded_at: now - HOUR_MS,
          next_at: now,
          read_rows: ROWS[entity] ?? 0,
          unlinked: entity === 'companies' ? 2 : entity === 'jobs' ? 11 : 0,
          error: null,
          error_at: null,
          cursor: '{}',
        })
        .execute();
    }
    await tx.append(
      [first, second, third].map(
        ({ n, name, veeamId = null, notify = [], applications = NO_APPLICATIONS }, turn) => ({
          event: {
            type: 'company.updated@1' as const,
            data: {
              n,
              name,
              veeamId,
              notify: [...notify],
              applications: {
                ...applications,
                office365: {
                  ...applications.office365,
                  organizations: [...applications.office365.organizations],
                },
                vac: { id: getUuid(plan.seed, 'companies', turn) },
              },
            },
          },
          company: n,
          entity: `company:${n}`,
        }),
      ),
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
    );
    const keep = (
      entity: Entity,
      turn: number,
      name: string,
      company_n: number | null,
      row: Readonly<Record<string, string | number | null>>,
    ) =>
      tx.sql
        .insertInto('collected')
        .values({
          tenant_id,
          connection_id: id,
          entity,
          uid: getUuid(plan.seed, entity, turn),
          company_n,
          name,
          row: JSON.stringify(row),
          seen_at: now - HOUR_MS,
        })
        .execute();
    const own = [
      [first.name, first.n],
      [second.name, second.n],
      [third.name, third.n],
      ['Alder Legal', null],
      ['Quayside Dental', null],
    ] as const;
    for (const [turn, [name, n]] of own.entries())
      await keep('companies', turn, name, n, { status: 'Active' });
    await keep('alarms', 0, 'The repository is nearly full', first.n, {
      severity: 'Error',
      at: new Date(now - 5 * HOUR_MS).toISOString(),
      object: 'Main repository',
      computer: 'vbr-01',
    });
    await keep('alarms', 1, 'The agent has not been heard for a day', second.n, {
      severity: 'Warning',
      at: new Date(now - 26 * HOUR_MS).toISOString(),
      object: 'reception-pc',
      computer: 'reception-pc',
    });
    for (const [turn, [name, n]] of own.slice(0, 3).entries()) {
      await keep('licences', turn, name, n, {
        product: 'BackupAndReplication',
        workload: turn === 1 ? 'Workstations' : 'VMs',
        unitType: 'Points',
        usedUnits: 24 + 9 * turn,
        usedCount: 18 + 7 * turn,
        newCount: turn,
      });
    }
  });
}
