import * as v from 'valibot';
import { companyRef, CURSOR, idOut, listPageSchema } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { anyId, anyOrganizationId, words } from '../paging.ts';
import { OPERATOR_TYPES, RESTORE_ROLE, RestoreRoleRowSchema, ROLE_ITEM_TYPES } from './roles.ts';
import { storedIdSchema } from '../id-schema.ts';
import type { OrganizationId } from '../ids.ts';

const gate = 'o365.organizations';
const COMMAND = ['bad-input', 'not-found', 'conflict', 'key-reused', 'out-of-order'] as const;
const OF_ROLE = { organizationId: anyOrganizationId, opRoleId: anyId };

const fields = {
  ...RESTORE_ROLE,
  description: v.optional(RESTORE_ROLE.description, ''),
  selectedItems: v.optional(RESTORE_ROLE.selectedItems, []),
  excludedItems: v.optional(RESTORE_ROLE.excludedItems, []),
  withoutReading: v.optional(v.boolean(), false),
  mayDownload: v.optional(v.boolean(), false),
  needsSecondPerson: v.optional(v.boolean(), false),
  /** As the wizard merges its steps. Only its organization decides whose role it is. */
  id: v.optional(v.nullable(anyId), null),
  companyId: v.optional(v.nullable(companyRef), null),
};

/** Without its items. `people`: whose data it is about, as far as the directory is known. */
const roleOut = v.object({
  _id: v.string(),
  ...v.pick(RestoreRoleRowSchema, [
    'id',
    'name',
    'description',
    'roleType',
    'withoutReading',
    'mayDownload',
    'needsSecondPerson',
    'updatedAt',
  ]).entries,
  organizationId: storedIdSchema<OrganizationId>(),
  organizationName: v.string(),
  companyN: v.number(),
  operatorNames: v.array(v.string()),
  operatorCount: v.number(),
  selected: v.number(),
  excluded: v.number(),
  people: v.number(),
});

/** `name`: empty if the directory doesn't have it any more. */
const NAMED = { id: v.string(), name: v.string(), address: v.string() };
const items = v.array(v.object({ type: v.picklist(ROLE_ITEM_TYPES), ...NAMED }));

/** Who may restore data for others (RES-50). */
export const restoreRoleCalls = {
  listAllRestoreRoles: call({
    method: 'GET',
    path: 'o365/organizations/restore-roles',
    summary: 'Lists the restore-operator roles of all organizations by name.',
    input: v.strictObject({
      organizationId: v.optional(anyOrganizationId),
      companyId: v.optional(companyRef),
      search: words,
      ...CURSOR,
    }),
    output: listPageSchema(roleOut),
    gate,
    failures: ['bad-input'],
  }),
  createRestoreRole: call({
    method: 'POST',
    path: 'o365/organizations/{organizationId}/restore-roles',
    summary: 'Creates a restore-operator role: who may restore which data of an organization.',
    input: v.strictObject({ organizationId: anyOrganizationId, ...fields }),
    output: idOut,
    gate,
    failures: COMMAND,
  }),
  listRestoreRoles: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/restore-roles',
    summary: 'Lists the restore-operator roles of an organization by name.',
    input: v.strictObject({ organizationId: anyOrganizationId, search: words, ...CURSOR }),
    output: listPageSchema(roleOut),
    gate,
    failures: ['bad-input', 'not-found'],
  }),
  getRestoreRole: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/restore-roles/{opRoleId}',
    summary: 'Returns a restore-operator role with its operators and items.',
    input: v.strictObject(OF_ROLE),
    output: v.object({
      ...roleOut.entries,
      operators: v.array(v.object({ type: v.picklist(OPERATOR_TYPES), ...NAMED })),
      selectedItems: items,
      excludedItems: items,
    }),
    gate,
    failures: ['bad-input', 'not-found'],
  }),
  updateRestoreRole: call({
    method: 'PUT',
    path: 'o365/organizations/{organizationId}/restore-roles/{opRoleId}',
    summary: 'Replaces the settings of a restore-operator role.',
    input: v.strictObject({ ...OF_ROLE, ...fields }),
    output: v.object({}),
    gate,
    failures: COMMAND,
  }),
  deleteRestoreRole: call({
    method: 'DELETE',
    path: 'o365/organizations/{organizationId}/restore-roles/{opRoleId}',
    summary: 'Deletes a restore-operator role. Its operators lose its rights immediately.',
    input: v.strictObject(OF_ROLE),
    output: v.object({}),
    gate,
    failures: COMMAND,
  }),
} as const;
