import type { Ms } from '#contract/ids.ts';

/** A record as Stripe's API returns it: its published fields, of which the SDK's types are made. */
export type Rec = Record<string, unknown> & { readonly id: string };
export type StripeFields = Record<string, unknown>;

/** What was requested doesn't exist. */
export class Missing extends Error {}

/** Returns the metadata of a write. */
export const readMetadata = (form: URLSearchParams): StripeFields =>
  Object.fromEntries(
    [...form].flatMap(([key, value]) => {
      const name = /^metadata\[(\w+)\]$/.exec(key)?.[1];
      return name === undefined ? [] : [[name, value]];
    }),
  );

/** Returns the records of a list that a request asks for, newest first, as one page. */
export function toPage(
  rows: ReadonlyMap<string, Rec>,
  { pathname }: URL,
  isWanted: (row: Rec) => boolean,
): StripeFields {
  return {
    object: 'list',
    url: pathname,
    has_more: false,
    data: [...rows.values()].filter((row) => isWanted(row)).toReversed(),
  };
}

/** A subscription that was made before the stand-in started. */
export interface AdoptedSubscription {
  readonly id: string;
  readonly customer: string;
  readonly price: string;
  readonly quantity: number;
  readonly isCancelled: boolean;
  readonly periodEndsAt: Ms;
  readonly trialEndsAt: Ms | null;
  readonly owedCents: number;
}
