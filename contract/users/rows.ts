import * as v from 'valibot';
import { storedIdSchema } from '../id-schema.ts';
import { ApplicationsSchema } from '../companies/company-fields.ts';
import type { CompanyN, Ms, UserId } from '../ids.ts';
import { RoleSchema } from '../role-schema.ts';
import type { RowOf } from '../row.ts';

const companyN: v.GenericSchema<CompanyN> = v.number();
const userId = storedIdSchema<UserId>();
const ms: v.GenericSchema<Ms> = v.number();

/**
 * Optional fields are absent until set: ids in other systems, users to notify, and when the company
 * was deleted.
 */
export const CompanyRowSchema = v.object({
  n: companyN,
  id: v.string(),
  name: v.string(),
  madeAt: ms,
  applications: v.exactOptional(ApplicationsSchema),
  veeamId: v.exactOptional(v.nullable(v.string())),
  notify: v.exactOptional(v.array(userId)),
  deletedAt: v.exactOptional(ms),
});
export type CompanyRow = Readonly<v.InferOutput<typeof CompanyRowSchema>>;

/**
 * A user. Name, addresses and secrets are stored outside the log under this id. `companies` null:
 * all of the provider's.
 */
export const UserRowSchema = v.object({
  id: userId,
  roles: v.array(RoleSchema),
  companies: v.nullable(v.array(companyN)),
  madeAt: ms,
  deletedAt: v.nullable(ms),
  /** When all data of the user outside the log was deleted. */
  removedAt: v.exactOptional(ms),
});
export type UserRow = RowOf<typeof UserRowSchema>;
