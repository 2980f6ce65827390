import { sql } from 'kysely';
import { getMatcher } from '#contract/rules/rules.ts';
import type { RuleResult, RuleRow } from '#contract/rules/rules.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** A rule with its compiled matcher. */
export interface Ready {
  readonly rule: RuleRow;
  readonly matches: (result: RuleResult) => boolean;
}

const getMemory = (tx: TenantTx): { ready: readonly Ready[] | null } =>
  tx.memory('rules', () => ({ ready: null }));

/**
 * Returns a provider's enabled rules in order, whether or not they are in effect now. They are
 * compiled once per change. Call it under the lock of the head row. Returns none if the provider
 * has rules turned off (RULES-7).
 */
export const readyRules = async (tx: TenantTx): Promise<readonly Ready[]> => {
  const memory = getMemory(tx);
  memory.ready ??= (await listActiveRules(tx))
    .filter(({ enabled }) => enabled)
    .map((rule) => ({ rule, matches: getMatcher(rule.when) }));
  return memory.ready.length > 0 && (await hasRulesOn(tx)) ? memory.ready : [];
};

/** Read each time: the switch is not an event of the log, so the cache is not invalidated by it. */
async function hasRulesOn({ sql: db, tenant }: TenantTx): Promise<boolean> {
  const { rows } = await sql<{
    on: boolean | null;
  }>`select (branding::jsonb->'features'->>'rules') = 'true' as on from provider where tenant_id = ${tenant}`.execute(
    db,
  );
  return rows[0]?.on === true;
}

/** Clears the cache. Call it in the transaction that changes rules. */
export const forgetRules = (tx: TenantTx): void => {
  getMemory(tx).ready = null;
};

/** Returns all rules that are not removed, in order. */
export const listActiveRules = async (tx: TenantTx): Promise<RuleRow[]> =>
  (await tx.all('rule'))
    .filter(({ removedAt }) => removedAt === null)
    .toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
