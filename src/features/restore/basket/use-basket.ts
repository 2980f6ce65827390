import { createContext, use, useCallback, useEffect, useMemo, useState } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { announce } from '#src/app/shell/announce.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { showFailure } from '#src/ui/toasts.ts';
import {
  addNodes,
  countEntries,
  EMPTY_BASKET,
  hasNodes,
  parseBasket,
  removeNodes,
} from './basket.ts';
import type { Basket, BasketPlace } from './basket.ts';
import { basketMessages as t } from './messages.en.ts';

/** The basket of the open organization, on this device. */
export interface BasketStore {
  readonly basket: Basket;
  readonly has: (place: BasketPlace, nodes: readonly string[]) => boolean;
  readonly add: (place: BasketPlace, nodes: readonly string[]) => void;
  readonly remove: (place: BasketPlace, nodes: readonly string[]) => void;
  readonly clear: () => void;
  /** Puts back what was removed. */
  readonly put: (basket: Basket) => void;
}

/** Null: no organization is open. */
export const BasketContext = createContext<BasketStore | null>(null);
export const useOpenBasket = (): BasketStore | null => use(BasketContext);

/** Tells other tabs that a basket has changed. The message is the organization's id. */
const CHANNEL = 'daybook-basket';
const getDraftName = (organizationId: string): string => `basket:${organizationId}`;

interface LoadedBasket {
  readonly organizationId: string;
  readonly basket: Basket;
}

/**
 * Reads and changes the basket of an organization. It is a draft of the signed-in user: encrypted,
 * and deleted at sign-out.
 */
export function useBasket(organizationId: string | null): BasketStore | null {
  const [loaded, setLoaded] = useState<LoadedBasket | null>(null);
  useEffect(() => {
    if (organizationId === null) return;
    let isOver = false;
    const load = async (): Promise<void> => {
      const read = await readBasket(organizationId);
      if (!isOver && read.ok) setLoaded({ organizationId, basket: read.value });
    };
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', ({ data }) => {
      if (data === organizationId) void load();
    });
    void load();
    return () => {
      isOver = true;
      channel.close();
    };
  }, [organizationId]);
  const edit = useCallback(
    async (change: (before: Basket) => Basket): Promise<void> => {
      if (organizationId === null) return;
      const basket = await inTurn(() => changeBasket(organizationId, change));
      if (basket === null) return;
      // Another organization may be open by now.
      setLoaded((was) =>
        was === null || was.organizationId === organizationId ? { organizationId, basket } : was,
      );
      announce(t.announced({ count: countEntries(basket) }));
    },
    [organizationId],
  );
  const basket = loaded?.organizationId === organizationId ? loaded.basket : EMPTY_BASKET;
  return useMemo(
    () =>
      organizationId === null
        ? null
        : {
            basket,
            has: (place, nodes) => hasNodes(basket, place, nodes),
            add: (place, nodes) =>
              void edit((before) => {
                const after = addNodes(before, place, nodes, LIMITS.restoreNodes);
                if (!hasNodes(after, place, nodes))
                  showFailure(t.full({ max: LIMITS.restoreNodes }));
                return after;
              }),
            remove: (place, nodes) => void edit((before) => removeNodes(before, place, nodes)),
            clear: () => void edit(() => EMPTY_BASKET),
            put: (next) => void edit(() => next),
          },
    [organizationId, basket, edit],
  );
}

async function readBasket(organizationId: string): Promise<Result<Basket>> {
  const read = await client().readDraft(getDraftName(organizationId));
  return read.ok ? ok(parseBasket(read.value)) : read;
}

/** Returns null, and changes nothing, if what is in the basket can't be read now. */
async function changeBasket(
  organizationId: string,
  change: (before: Basket) => Basket,
): Promise<Basket | null> {
  const before = await readBasket(organizationId);
  if (!before.ok) {
    showFailure(getFailureText(before.failure));
    return null;
  }
  const after = change(before.value);
  const name = getDraftName(organizationId);
  const stored =
    after.length === 0 ? await client().deleteDraft(name) : await client().saveDraft(name, after);
  if (!stored.ok) showFailure(getFailureText(stored.failure));
  const channel = new BroadcastChannel(CHANNEL);
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is of one origin
  channel.postMessage(organizationId);
  channel.close();
  return after;
}

/** Two tabs that change the basket at once don't lose a change. */
const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request(CHANNEL, work) : work();
