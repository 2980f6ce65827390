export type PickerKind = 'User' | 'Group' | 'Team' | 'Site';

/** An object of a tenant's directory. */
export interface PickedItem {
  readonly type: PickerKind;
  readonly id: string;
  readonly name: string;
}

/** The kinds of items, in the order of their tabs. */
export const PICKER_KINDS = Object.keys({
  User: 0,
  Group: 0,
  Team: 0,
  Site: 0,
} satisfies Record<PickerKind, 0>) as unknown as readonly [PickerKind, ...PickerKind[]];

/** In the place of an id: all sites, also those that are added later. */
export const ALL_SITES = '*';

export const getKey = ({ type, id }: Pick<PickedItem, 'type' | 'id'>): string => `${type} ${id}`;
