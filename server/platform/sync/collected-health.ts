import { ENTITY_NAMES } from '#contract/connections/connection.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import { SOURCES } from '#contract/runs/vocabulary.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { type SyncScope, isCompanyInScope } from './scope.ts';

const SOURCE_OF = { vspc: 'vac', vbr: 'vbr', vb365: 'office365', zerto: 'zerto' } as const;

interface Collected {
  /** `company` null: the connection belongs to the provider as a whole. */
  readonly failed: readonly {
    readonly id: string;
    readonly name: string;
    readonly company: CompanyN | null;
    readonly entity: string;
    readonly at: Ms;
    readonly message: string;
  }[];
  readonly sources: LastSync['sources'];
}

/**
 * Returns how enabled connections were last read: what failed, and each system as its own source
 * (COLLECT-7).
 */
export async function collectedHealth(
  { sql, tenant }: TenantTx,
  scope: SyncScope,
): Promise<Collected> {
  const rows = await sql
    .selectFrom('connection as c')
    .innerJoin('collection as e', (join) =>
      join.onRef('e.tenant_id', '=', 'c.tenant_id').onRef('e.connection_id', '=', 'c.id'),
    )
    .select([
      'c.id',
      'c.kind',
      'c.name',
      'c.company_n as company',
      'e.entity',
      'e.fails',
      'e.error',
      'e.error_at',
      'e.succeeded_at',
    ])
    .where('c.tenant_id', '=', tenant)
    .where('e.tenant_id', '=', tenant)
    .where('c.enabled', '=', true)
    .orderBy('c.name')
    .orderBy('c.id')
    .orderBy('e.entity')
    .execute();
  const seen = rows.filter(({ company }) =>
    company === null ? scope.companies === null : isCompanyInScope(scope, company),
  );
  const failed = seen.flatMap(({ id, name, company, entity, fails, error, error_at }) =>
    fails > 0
      ? [
          {
            id,
            name,
            company,
            entity: `${name}: ${ENTITY_NAMES[entity]}`,
            at: error_at ?? 0,
            message: error ?? '',
          },
        ]
      : [],
  );
  const sources = SOURCES.flatMap((source) => {
    const own = seen.filter(({ kind }) => SOURCE_OF[kind] === source);
    const at = Math.max(0, ...own.map(({ succeeded_at }) => succeeded_at ?? 0));
    return own.length === 0
      ? []
      : [
          {
            source,
            keys: new Set(own.map(({ id }) => id)).size,
            failed: new Set(own.flatMap(({ id, fails }) => (fails > 0 ? [id] : []))).size,
            at: at === 0 ? null : at,
          },
        ];
  });
  return { failed, sources };
}
