import * as v from 'valibot';
import { ROLES } from './abilities.ts';

/**
 * Separate from the table of abilities, because the first page needs the table but not this schema.
 */
export const RoleSchema = /* @__PURE__ */ v.picklist(ROLES);
