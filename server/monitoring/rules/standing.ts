import { matcherOf } from '#contract/monitoring/rules.ts';
import type { RuleResult, RuleRow } from '#contract/monitoring/rules.ts';
import type { TenantTx } from '#server/store/store.ts';

/** A rule that is made ready to be asked. */
export interface Ready { readonly rule: RuleRow; readonly matches: (result: RuleResult) => boolean }

const memoryOf = (tx: TenantTx): { ready: readonly Ready[] | null } => tx.memory('rules', () => ({ ready: null }));

/** The rules of a provider that are on, from the top, whether it is their time or not: made ready once a change. Under the lock of the head row. */
export const readyRules = async (tx: TenantTx): Promise<readonly Ready[]> => {
  const memory = memoryOf(tx);
  return memory.ready ??= (await standingRules(tx)).filter(({ enabled }) => enabled).map((rule) => ({ rule, matches: matcherOf(rule.when) }));
};

/** Asked by who changes them, in the transaction that does. */
export const forgetRules = (tx: TenantTx): void => { memoryOf(tx).ready = null; };

/** All that were not removed, from the top. */
export const standingRules = async (tx: TenantTx): Promise<RuleRow[]> =>
  (await tx.all('rule')).filter(({ removedAt }) => removedAt === null).toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
