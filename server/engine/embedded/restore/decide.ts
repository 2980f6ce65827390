import type { ItemKind, ItemOutcome, RestoreInput } from '#contract/engine/engine.ts';
import type { FoundObject } from '../types.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';

/** What a restore does with an item. `outcome` and `message`: once it is done, or in a dry run. */
export type ItemDecision =
  | { readonly do: 'skip'; readonly outcome: 'skipped'; readonly message: string }
  | {
      readonly do: 'write';
      readonly outcome: Extract<ItemOutcome, 'restored' | 'merged'>;
      readonly replaces: FoundObject | null;
      readonly keepBoth: boolean;
      readonly message: string;
      readonly plan: string;
    };

/** Decides by the rules of a restore and what the target has of the item (RES-1, RES-2). */
export function decideWrite(
  { select, onConflict }: Pick<RestoreInput, 'select' | 'onConflict'>,
  found: FoundObject | null,
  kind: ItemKind,
): ItemDecision {
  if (found === null)
    return select === 'changed'
      ? skip(t.changedOnly)
      : {
          do: 'write',
          outcome: 'restored',
          replaces: null,
          keepBoth: false,
          message: t.created,
          plan: t.willCreate,
        };
  if (found.isSame) return skip(t.alreadyThere);
  if (select === 'missing') return skip(t.missingOnly);
  switch (onConflict) {
    case 'skip':
      return skip(t.keptTarget);
    case 'replace':
      if (kind === 'post') return skip(t.postNotReplaceable);
      return {
        do: 'write',
        outcome: 'merged',
        replaces: found,
        keepBoth: false,
        message: t.replaced,
        plan: t.willReplace,
      };
    case 'keep-both':
      return {
        do: 'write',
        outcome: 'restored',
        replaces: null,
        keepBoth: true,
        message: t.keptBoth,
        plan: t.willKeepBoth,
      };
  }
}

const skip = (message: string): ItemDecision => ({ do: 'skip', outcome: 'skipped', message });
