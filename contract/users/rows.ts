import * as v from 'valibot';
import { ApplicationsSchema } from '../companies/company-fields.ts';
import { RoleSchema } from '../role-schema.ts';
import type { RowOf } from '../row.ts';

/**
 * Optional fields are absent until set: ids in other systems, users to notify, and when the company
 * was deleted.
 */
export const CompanyRowSchema = v.object({
  n: v.number(),
  id: v.string(),
  name: v.string(),
  madeAt: v.number(),
  applications: v.exactOptional(ApplicationsSchema),
  veeamId: v.exactOptional(v.nullable(v.string())),
  notify: v.exactOptional(v.array(v.string())),
  deletedAt: v.exactOptional(v.number()),
});
export type CompanyRow = Readonly<v.InferOutput<typeof CompanyRowSchema>>;

/**
 * A user. Name, addresses and secrets are stored outside the log under this id. `companies` null:
 * all of the provider's.
 */
export const UserRowSchema = v.object({
  id: v.string(),
  roles: v.array(RoleSchema),
  companies: v.nullable(v.array(v.number())),
  madeAt: v.number(),
  deletedAt: v.nullable(v.number()),
  /** When all data of the user outside the log was deleted. */
  removedAt: v.exactOptional(v.number()),
});
export type UserRow = RowOf<typeof UserRowSchema>;
