import type { Role } from '../abilities.ts';
import type { CompanyN, Ms, UserId } from '../ids.ts';
import type { Applications } from '../companies/company-fields.ts';

/**
 * What only some have stands where it was set: ids in other systems, users who are told of it, when
 * it was deleted.
 */
export interface CompanyRow {
  readonly n: CompanyN;
  readonly id: string;
  readonly name: string;
  readonly madeAt: Ms;
  readonly applications?: Applications;
  readonly veeamId?: string | null;
  readonly notify?: readonly UserId[];
  readonly deletedAt?: Ms;
}

/**
 * Names, addresses and secrets of a user stand outside the log, by reference. `companies` null: all
 * of the provider's.
 */
export interface UserRow {
  readonly id: UserId;
  readonly roles: readonly Role[];
  readonly companies: readonly CompanyN[] | null;
  readonly madeAt: Ms;
  readonly deletedAt: Ms | null;
  /** Since then nothing of it stands outside the log. */
  readonly removedAt?: Ms;
}
