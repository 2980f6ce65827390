import * as v from 'valibot';
import { ROLES } from './abilities.ts';

/** Beside the table of abilities, which the first page needs without this. */
export const RoleSchema = /* @__PURE__ */ v.picklist(ROLES);
