import type { InputOf, OutputOf } from '#contract/calls.ts';
import type { Issue } from '#contract/errors.ts';
import type { WizardDefinition } from '#machines/wizard.ts';
import { getKey } from '../../../shared/directory-picker/items.ts';
import type { PickedItem } from '../../../shared/directory-picker/items.ts';
import { roleWizardMessages as t } from './messages.en.ts';

type RoleOut = OutputOf<'getRestoreRole'>;

export interface RoleData {
  /** Null: a new one. */
  readonly id: string | null;
  readonly name: string;
  readonly description: string;
  readonly organizationId: string | null;
  readonly operators: readonly PickedItem[];
  readonly roleType: 'EntireOrganization' | 'SpecificObjects';
  readonly selectedItems: readonly PickedItem[];
  readonly excludedItems: readonly PickedItem[];
  readonly withoutReading: boolean;
  readonly mayDownload: boolean;
  readonly needsSecondPerson: boolean;
}

type OperatorKind = RoleOut['operators'][number]['type'];
/** Who can be an operator, in the order of the tabs. */
export const OPERATOR_KINDS = Object.keys({
  User: 0,
  Group: 0,
} satisfies Record<OperatorKind, 0>) as unknown as readonly [OperatorKind, ...OperatorKind[]];

const EMPTY: RoleData = {
  id: null,
  name: '',
  description: '',
  organizationId: null,
  operators: [],
  roleType: 'EntireOrganization',
  selectedItems: [],
  excludedItems: [],
  withoutReading: false,
  mayDownload: false,
  needsSecondPerson: false,
};

const issue = (isWrong: boolean, path: keyof RoleData, message: string): Issue[] =>
  isWrong ? [{ path, message }] : [];

/** The wizard of the specification, `restore-operator-roles/1` to `restore-operator-roles/5`. */
export const ROLE_WIZARD: WizardDefinition<RoleData> = {
  id: 'restore-role',
  empty: EMPTY,
  steps: [
    {
      id: '1',
      fields: ['name', 'description'],
      check: ({ name }) => issue(name.trim() === '', 'name', t.nameMissing),
    },
    {
      id: '2',
      fields: ['organizationId'],
      check: ({ organizationId }) =>
        issue(organizationId === null, 'organizationId', t.organizationMissing),
    },
    {
      id: '3',
      fields: ['operators', 'withoutReading', 'mayDownload', 'needsSecondPerson'],
      check: ({ operators }) => issue(operators.length === 0, 'operators', t.operatorsMissing),
      dependsOn: ['organizationId'],
    },
    {
      id: '4',
      fields: ['roleType', 'selectedItems'],
      check: ({ roleType, selectedItems }) =>
        issue(
          roleType === 'SpecificObjects' && selectedItems.length === 0,
          'selectedItems',
          t.selectionMissing,
        ),
      dependsOn: ['organizationId'],
    },
    {
      id: '5',
      fields: ['excludedItems'],
      check({ roleType, selectedItems, excludedItems }) {
        const selected = new Set(selectedItems.map(getKey));
        const both =
          roleType === 'SpecificObjects'
            ? excludedItems.find((item) => selected.has(getKey(item)))
            : undefined;
        return both ? issue(true, 'excludedItems', t.bothLists({ name: both.name })) : [];
      },
      dependsOn: ['organizationId', 'roleType', 'selectedItems'],
    },
  ],
  adjust(data, changes) {
    // Operators and items are of one organization.
    if ('organizationId' in changes)
      return { ...data, operators: [], selectedItems: [], excludedItems: [] };
    // What nobody may read, nobody downloads.
    return data.withoutReading && data.mayDownload ? { ...data, mayDownload: false } : data;
  },
};

/** Returns the data of an existing role. */
export const roleData = (role: RoleOut): RoleData => ({
  id: role.id,
  name: role.name,
  description: role.description,
  organizationId: role.organizationId,
  operators: role.operators.map(getPicked),
  roleType: role.roleType,
  selectedItems: role.selectedItems.map(getPicked),
  excludedItems: role.excludedItems.map(getPicked),
  withoutReading: role.withoutReading,
  mayDownload: role.mayDownload,
  needsSecondPerson: role.needsSecondPerson,
});

const getPicked = ({ type, id, name, address }: RoleOut['selectedItems'][number]): PickedItem => ({
  type,
  id,
  name: name || address || id,
});

/** Returns the fields that `createRestoreRole` and `updateRestoreRole` take. */
export const roleFields = (
  data: RoleData,
): Omit<InputOf<'updateRestoreRole'>, 'organizationId' | 'opRoleId'> => ({
  name: data.name.trim(),
  description: data.description.trim(),
  operators: data.operators.flatMap(({ type, id }) =>
    OPERATOR_KINDS.flatMap((kind) => (kind === type ? [{ type: kind, id }] : [])),
  ),
  roleType: data.roleType,
  selectedItems: data.roleType === 'SpecificObjects' ? data.selectedItems.map(getItem) : [],
  excludedItems: data.excludedItems.map(getItem),
  withoutReading: data.withoutReading,
  mayDownload: data.mayDownload,
  needsSecondPerson: data.needsSecondPerson,
});

const getItem = ({ type, id }: PickedItem) => ({ type, id });
