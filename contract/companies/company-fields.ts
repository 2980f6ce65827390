import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import type { UserId } from '../ids.ts';
import { nameText } from '../text-schema.ts';

const id = v.nullable(nameText());

/** The ids of the company in other systems. */
export const ApplicationsSchema = v.strictObject({
  vac: v.strictObject({ id }),
  vcd: v.strictObject({ id }),
  zerto: v.strictObject({ id }),
  office365: v.strictObject({
    enabled: v.boolean(),
    organizations: v.pipe(v.array(v.strictObject({ id: id.wrapped })), v.maxLength(100)),
  }),
});
export type Applications = v.InferOutput<typeof ApplicationsSchema>;

export const NO_APPLICATIONS: Applications = {
  vac: { id: null },
  vcd: { id: null },
  zerto: { id: null },
  office365: { enabled: false, organizations: [] },
};

/** The fields of a company that can be set. `notify`: users to notify about it. */
export const COMPANY_FIELDS = {
  name: nameText(),
  applications: ApplicationsSchema,
  veeamId: id,
  notify: v.pipe(v.array(uuidSchema<UserId>()), v.maxLength(200)),
};
