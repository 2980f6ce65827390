import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import { RoleSchema } from '../role-schema.ts';
import type { CompanyN, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { COMPANY_FIELDS } from '../companies/company-fields.ts';

const n: v.GenericSchema<CompanyN> = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const userId = uuidSchema<UserId>();

export const companyCreated = v.strictObject({
  type: v.literal('company.created@1'),
  data: v.strictObject({
    n,
    id: v.pipe(v.string(), v.uuid()),
    name: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars)),
  }),
});

/** All settings of a company, valid from this event on. */
export const companyUpdated = v.strictObject({
  type: v.literal('company.updated@1'),
  data: v.strictObject({ n, ...COMPANY_FIELDS }),
});

/** The company leaves every user's scope: devices reload all data. */
export const companyDeleted = v.strictObject({
  type: v.literal('company.deleted@1'),
  data: v.strictObject({ n }),
});

/**
 * The company is back in the scope of users who see the whole provider; others get it by
 * `user.scoped`. Devices reload all data.
 */
export const companyRestored = v.strictObject({
  type: v.literal('company.restored@1'),
  data: v.strictObject({ n }),
});

export const userCreated = v.strictObject({
  type: v.literal('user.created@1'),
  data: v.strictObject({
    id: userId,
    roles: v.array(RoleSchema),
    companies: v.nullable(v.array(n)),
  }),
});

/** What a user can see has changed: devices delete the data that the user may no longer see. */
export const userScoped = v.strictObject({
  type: v.literal('user.scoped@1'),
  data: v.strictObject({
    id: userId,
    roles: v.array(RoleSchema),
    companies: v.nullable(v.array(n)),
  }),
});

export const userDeleted = v.strictObject({
  type: v.literal('user.deleted@1'),
  data: v.strictObject({ id: userId }),
});

/**
 * Fields of a user that are stored outside the log were changed. The event contains their names,
 * never their values.
 */
export const userUpdated = v.strictObject({
  type: v.literal('user.updated@1'),
  data: v.strictObject({
    id: userId,
    fields: v.array(v.pipe(v.string(), v.maxLength(64))),
  }),
});

/**
 * The user was permanently deleted with name, addresses and factors. The id and the user's actions
 * stay.
 */
export const userRemoved = v.strictObject({
  type: v.literal('user.removed@1'),
  data: v.strictObject({ id: userId }),
});
