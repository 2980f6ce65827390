import type { CompanyN, TenantId } from '#contract/ids.ts';
import type { CollectorKind } from '#contract/monitoring/collector.ts';
import type { KeyRow } from '#contract/monitoring/rows.ts';
import type { Source } from '#contract/monitoring/words.ts';
import type { TenantTx } from '#server/store/store.ts';
import type { World } from '#server/world.ts';
import type { ConnectionRow } from './task.ts';

export const TOOL_OF = { vspc: 'vac', vbr: 'vbr', zerto: 'zerto' } as const satisfies Record<CollectorKind, Source>;

/**
 * By which key the results of a company come: one a company and connection, of which nobody holds a secret. So a job of a system is known by the same
 * names as one that posts, its company is bound to it, and it ends with the company. Null where the company is not there any more.
 */
export async function channelOf(world: World, tenant: TenantId, { id, kind, name }: ConnectionRow, company: CompanyN): Promise<KeyRow | null> {
  // Nearly always it is there, which costs nobody a turn.
  const there = await world.store.tenant(tenant, async (tx) => (await channelsOf(tx, id)).find((key) => key.company === company), { readOnly: true });
  return there ?? world.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const known = (await channelsOf(tx, id)).find((key) => key.company === company);
    if (known) return known;
    const row = (await tx.rows('company', [company])).get(company);
    if (!row || row.deletedAt !== undefined) return null;
    const key = world.chance.uuid();
    const event = { type: 'key.made@1' as const, data: { id: key, name, company, tool: TOOL_OF[kind], managed: null, hint: id.slice(0, 4), connection: id } };
    await tx.append([{ event, company, entity: `key:${key}` }], { actor: { is: 'clock' }, subject: null, commandId: null, at: world.clock.now() });
    return (await tx.rows('key', [key])).get(key) ?? null;
  });
}

export const channelsOf = async (tx: TenantTx, connection: string): Promise<KeyRow[]> =>
  (await tx.all('key')).filter((key) => key.connection === connection && key.revokedAt === null);

/** Which company of ours an organization of the system is: by its id there, in any case. Of a connection that is one company's: always that. */
export async function linksOf(tx: TenantTx, connection: Pick<ConnectionRow, 'company_n'>): Promise<(org: string | null | undefined) => CompanyN | null> {
  const { company_n: own } = connection;
  const linked = new Map((await tx.all('company')).flatMap((one) => (one.deletedAt === undefined && one.applications?.vac.id != null ? [[one.applications.vac.id.toLowerCase(), one.n] as const] : [])));
  return own !== null ? () => own : (org) => (org == null ? null : linked.get(org.toLowerCase()) ?? null);
}
