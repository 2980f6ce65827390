import * as v from 'valibot';
import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import { LIMITS } from '../limits.ts';
import { uuidSchema } from '../id-schema.ts';
import type { OrganizationId } from '../ids.ts';
import type { RowOf } from '../row.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';
import { nameText } from '../text-schema.ts';

export const ROLE_TYPES = ['EntireOrganization', 'SpecificObjects'] as const;
export const OPERATOR_TYPES = ['User', 'Group'] as const;
/** `Group`: its members. `Site`: with the sites below it. */
export const ROLE_ITEM_TYPES = ['User', 'Group', 'Team', 'Site'] as const;

const id = v.pipe(v.string(), v.uuid());
const companyN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const directoryId = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars));

const operator = v.strictObject({ type: v.picklist(OPERATOR_TYPES), id: directoryId });
const item = v.strictObject({ type: v.picklist(ROLE_ITEM_TYPES), id: directoryId });
export type RoleItem = v.InferOutput<typeof item>;
const items = v.pipe(v.array(item), v.maxLength(LIMITS.restoreRoleItems));

/**
 * Who restores for whom: objects of the tenant's directory by their ids there, without names.
 * `withoutReading`: subjects and content stay hidden. `needsSecondPerson`: a restore waits for the
 * approval of somebody else.
 */
export const RESTORE_ROLE = {
  name: nameText(),
  description: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars)),
  operators: v.pipe(v.array(operator), v.minLength(1), v.maxLength(LIMITS.restoreRoleOperators)),
  roleType: v.picklist(ROLE_TYPES),
  selectedItems: items,
  excludedItems: items,
  withoutReading: v.boolean(),
  mayDownload: v.boolean(),
  needsSecondPerson: v.boolean(),
};

export const restoreRoleCreated = v.strictObject({
  type: v.literal('restorerole.created@1'),
  data: v.strictObject({
    id,
    company: companyN,
    organization: uuidSchema<OrganizationId>(),
    ...RESTORE_ROLE,
  }),
});

/** All settings of a role, valid from this event on. */
export const restoreRoleUpdated = v.strictObject({
  type: v.literal('restorerole.updated@1'),
  data: v.strictObject({ id, ...RESTORE_ROLE }),
});

export const restoreRoleDeleted = v.strictObject({
  type: v.literal('restorerole.deleted@1'),
  data: v.strictObject({ id }),
});

export const RestoreRoleRowSchema = v.object({
  ...restoreRoleCreated.entries.data.entries,
  createdAt: v.number(),
  updatedAt: v.number(),
  removedAt: v.nullable(v.number()),
});
export type RestoreRoleRow = RowOf<typeof RestoreRoleRowSchema>;

export function foldRestoreRoles(rows: Rows, { event, at }: LoggedAbout<'restoreRole'>): void {
  if (event.type === 'restorerole.created@1') {
    rows.restoreRole?.set(event.data.id, {
      ...event.data,
      createdAt: at,
      updatedAt: at,
      removedAt: null,
    });
    return;
  }
  const role = rows.restoreRole?.get(event.data.id);
  if (!role) return;
  rows.restoreRole?.set(
    role.id,
    event.type === 'restorerole.updated@1'
      ? { ...role, ...event.data, updatedAt: at }
      : { ...role, removedAt: at },
  );
}

export const touchesRestoreRoles = ({ data }: EventOf<EventsAbout<'restoreRole'>>): Touch[] => [
  ['restoreRole', data.id],
];
