import type { Role } from '../abilities.ts';
import type { CompanyN, Ms, UserId } from '../ids.ts';

export interface CompanyRow { readonly n: CompanyN; readonly id: string; readonly name: string; readonly madeAt: Ms }

/** Names, addresses and secrets of a user stand outside the log, by reference. `companies` null: all of the provider's. */
export interface UserRow {
  readonly id: UserId;
  readonly roles: readonly Role[];
  readonly companies: readonly CompanyN[] | null;
  readonly madeAt: Ms;
  readonly deletedAt: Ms | null;
}
