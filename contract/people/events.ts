import * as v from 'valibot';
import { RoleSchema } from '../abilities.ts';
import { LIMITS } from '../limits.ts';

const n = v.pipe(v.number(), v.integer(), v.minValue(1));

export const companyMade = v.strictObject({
  type: v.literal('company.made@1'),
  data: v.strictObject({ n, id: v.pipe(v.string(), v.uuid()), name: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars)) }),
});

export const userMade = v.strictObject({
  type: v.literal('user.made@1'),
  data: v.strictObject({ id: v.pipe(v.string(), v.uuid()), roles: v.array(RoleSchema), companies: v.nullable(v.array(n)) }),
});

/** What a user may see has changed: devices out of scope drop what they may no longer hold. */
export const userScoped = v.strictObject({
  type: v.literal('user.scoped@1'),
  data: v.strictObject({ id: v.pipe(v.string(), v.uuid()), roles: v.array(RoleSchema), companies: v.nullable(v.array(n)) }),
});

export const userDeleted = v.strictObject({
  type: v.literal('user.deleted@1'),
  data: v.strictObject({ id: v.pipe(v.string(), v.uuid()) }),
});
