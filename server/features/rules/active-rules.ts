import { sql } from 'kysely';
import { matcherOf } from '#contract/rules/rules.ts';
import type { RuleResult, RuleRow } from '#contract/rules/rules.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** A rule that is made ready to be asked. */
export interface Ready {
  readonly rule: RuleRow;
  readonly matches: (result: RuleResult) => boolean;
}

const memoryOf = (tx: TenantTx): { ready: readonly Ready[] | null } =>
  tx.memory('rules', () => ({ ready: null }));

/**
 * The rules of a provider that are on, from the top, whether it is their time or not: made ready
 * once a change. Under the lock of the head row. None while the provider has rules switched off
 * (RULES-7).
 */
export const readyRules = async (tx: TenantTx): Promise<readonly Ready[]> => {
  const memory = memoryOf(tx);
  memory.ready ??= (await listActiveRules(tx))
    .filter(({ enabled }) => enabled)
    .map((rule) => ({ rule, matches: matcherOf(rule.when) }));
  return memory.ready.length > 0 && (await hasRulesOn(tx)) ? memory.ready : [];
};

/**
 * Read each time: the switch is no event of the log, so that what is remembered of the log does not
 * know it.
 */
async function hasRulesOn({ sql: db, tenant }: TenantTx): Promise<boolean> {
  const { rows } = await sql<{
    on: boolean | null;
  }>`select (branding::jsonb->'features'->>'rules') = 'true' as on from provider where tenant_id = ${tenant}`.execute(
    db,
  );
  return rows[0]?.on === true;
}

/** Asked by who changes them, in the transaction that does. */
export const forgetRules = (tx: TenantTx): void => {
  memoryOf(tx).ready = null;
};

/** All that were not removed, from the top. */
export const listActiveRules = async (tx: TenantTx): Promise<RuleRow[]> =>
  (await tx.all('rule'))
    .filter(({ removedAt }) => removedAt === null)
    .toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
