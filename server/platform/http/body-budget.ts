import { LIMITS } from '#contract/limits.ts';
import type { TenantId } from '#contract/ids.ts';
import { callerNetwork } from './network.ts';

type Budget = Pick<
  typeof LIMITS,
  | 'bodyBytesAtOnce'
  | 'strangerBodyBytesAtOnce'
  | 'addressBodyBytesAtOnce'
  | 'providerBodyBytesAtOnce'
  | 'callerBodyBytesAtOnce'
>;
type BudgetLimits = { readonly [K in keyof Budget]: number };

/**
 * HTTP-19: limits how many bytes of request bodies the server holds at a time, in total and per
 * caller.
 */
export interface BodyBudget {
  /**
   * Counts the bytes of this request as those of an unknown caller at `ip`. Call the returned
   * function when the response is made.
   */
  open(request: Request, ip: string): () => void;
  readonly heldBytes: number;
}

/** A key and the bytes that all of its requests may hold together. */
interface Share {
  readonly name: string;
  readonly max: number;
}
interface Meter {
  take(bytes: number): boolean;
  claim(tenant: TenantId, caller: string): void;
}

const meters = new WeakMap<Request, Meter>();

/**
 * Counts bytes before they are buffered for a request. Returns false if the budget is used up. A
 * request without a count always succeeds.
 */
export const takeBytes = (request: Request, bytes: number): boolean =>
  meters.get(request)?.take(bytes) ?? true;

/**
 * Moves the bytes of a request from the unknown caller to the identified caller and its provider.
 */
export const claimBody = (request: Request, tenant: TenantId, caller: string): void => {
  meters.get(request)?.claim(tenant, caller);
};

export function makeBodyBudget(limits: BudgetLimits = LIMITS): BodyBudget {
  const held = new Map<string, number>();
  const all: Share = { name: 'all', max: limits.bodyBytesAtOnce };
  const count = (shares: readonly Share[], bytes: number): void => {
    for (const { name } of shares) {
      const now = (held.get(name) ?? 0) + bytes;
      if (now === 0) held.delete(name);
      else held.set(name, now);
    }
  };
  return {
    open(request, ip) {
      let shares: readonly Share[] = [
        all,
        { name: 'strangers', max: limits.strangerBodyBytesAtOnce },
        { name: `address ${callerNetwork(ip)}`, max: limits.addressBodyBytesAtOnce },
      ];
      let own = 0;
      let isOver = false;
      meters.set(request, {
        take(bytes) {
          if (isOver || shares.some(({ name, max }) => (held.get(name) ?? 0) + bytes > max))
            return false;
          count(shares, bytes);
          own += bytes;
          return true;
        },
        claim(tenant, caller) {
          count(shares, -own);
          shares = [
            all,
            { name: `provider ${tenant}`, max: limits.providerBodyBytesAtOnce },
            { name: caller, max: limits.callerBodyBytesAtOnce },
          ];
          count(shares, own);
        },
      });
      return () => {
        // A body that is still being read gets no more memory: its request was dropped.
        isOver = true;
        count(shares, -own);
        own = 0;
      };
    },
    get heldBytes() {
      return held.get(all.name) ?? 0;
    },
  };
}
