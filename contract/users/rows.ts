import type { Role } from '../abilities.ts';
import type { CompanyN, Ms, UserId } from '../ids.ts';
import type { Applications } from '../companies/company-fields.ts';

/**
 * Optional fields are absent until set: ids in other systems, users to notify, and when the company
 * was deleted.
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
 * A user. Name, addresses and secrets are stored outside the log under this id. `companies` null:
 * all of the provider's.
 */
export interface UserRow {
  readonly id: UserId;
  readonly roles: readonly Role[];
  readonly companies: readonly CompanyN[] | null;
  readonly madeAt: Ms;
  readonly deletedAt: Ms | null;
  /** When all data of the user outside the log was deleted. */
  readonly removedAt?: Ms;
}
