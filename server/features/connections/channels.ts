import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, KeyId, TenantId } from '#contract/ids.ts';
import type { CollectorKind } from '#contract/connections/connection.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { ConnectionRow } from './task.ts';

export const TOOL_OF = {
  vspc: 'vac',
  vbr: 'vbr',
  vb365: 'office365',
  zerto: 'zerto',
} as const satisfies Record<CollectorKind, Source>;

/**
 * Returns the keys that record a connection's results: one per company and connection, with no
 * secret. They give a collected job the same identity as a posted one, bind it to its company, and
 * end it with the company. Returns all of the connection's keys and creates missing ones, except
 * for deleted companies.
 */
export async function openChannels(
  context: AppContext,
  tenant: TenantId,
  { id, kind, name }: ConnectionRow,
  companies: Iterable<CompanyN>,
): Promise<ReadonlyMap<CompanyN, IngestKeyRow>> {
  // They almost always exist, so the first read needs no lock.
  const there = await context.store.tenant(tenant, (tx) => byCompany(tx, id), { readOnly: true });
  const wanted = [...new Set(companies)];
  if (wanted.every((company) => there.has(company))) return there;
  return context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const known = await byCompany(tx, id);
    const missing = wanted.filter((company) => !known.has(company));
    const rows = await tx.rows('company', missing);
    const drafts = missing.flatMap((company): NewEvent[] => {
      const row = rows.get(company);
      if (!row || row.deletedAt !== undefined) return [];
      const key = context.chance.uuid() as KeyId;
      return [
        {
          event: {
            type: 'key.created@1',
            data: {
              id: key,
              name,
              company,
              tool: TOOL_OF[kind],
              managed: null,
              hint: id.slice(0, 4),
              connection: id,
            },
          },
          company,
          entity: `key:${key}`,
        },
      ];
    });
    if (drafts.length === 0) return known;
    await tx.append(drafts, {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: context.clock.now(),
    });
    return byCompany(tx, id);
  });
}

/** Returns null if the company no longer exists. */
export const loadChannel = async (
  context: AppContext,
  tenant: TenantId,
  connection: ConnectionRow,
  company: CompanyN,
): Promise<IngestKeyRow | null> =>
  (await openChannels(context, tenant, connection, [company])).get(company) ?? null;

const byCompany = async (
  tx: TenantTx,
  connection: string,
): Promise<ReadonlyMap<CompanyN, IngestKeyRow>> =>
  new Map((await loadChannels(tx, connection)).map((key) => [key.company, key]));

export const loadChannels = async (tx: TenantTx, connection: string): Promise<IngestKeyRow[]> =>
  (await tx.all('key')).filter((key) => key.connection === connection && key.revokedAt === null);

/**
 * Returns a function from the system's organization id to our company; case does not matter. An
 * organization of Microsoft 365 is also linked by its domain. For a connection of one company it
 * always returns that company.
 */
export async function loadLinks(
  tx: TenantTx,
  { kind, company_n: own }: Pick<ConnectionRow, 'kind' | 'company_n'>,
): Promise<(org: string | null | undefined) => CompanyN | null> {
  const linked = new Map(
    (await tx.all('company')).flatMap(({ n, deletedAt, applications }) => {
      if (deletedAt !== undefined || applications === undefined) return [];
      const { vac, office365 } = applications;
      const ids = kind === 'vb365' ? office365.organizations : [vac];
      return ids.flatMap(({ id }) => (id === null ? [] : [[id.toLowerCase(), n] as const]));
    }),
  );
  return own !== null
    ? () => own
    : (org) => (org == null ? null : (linked.get(org.toLowerCase()) ?? null));
}
