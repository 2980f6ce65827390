import * as v from 'valibot';
import type { Ms, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { nameText } from '../text-schema.ts';

/**
 * A saved view of a list. `query` is the query of its address, after `?`. Everyone with access to
 * the whole provider can see a shared view.
 */
export interface ViewRow {
  readonly id: string;
  readonly owner: UserId;
  readonly name: string;
  readonly query: string;
  readonly shared: boolean;
  readonly savedAt: Ms;
  readonly removedAt: Ms | null;
}

/** A view in the menu. `ownerName` is empty if the device doesn't know the name. */
export interface OwnedView extends ViewRow {
  readonly ownerName: string;
}

const uuid = v.pipe(v.string(), v.uuid());
export const viewFields = {
  id: uuid,
  name: nameText(),
  query: v.pipe(v.string(), v.maxLength(LIMITS.viewChars)),
  shared: v.boolean(),
};
/**
 * When a view stops being shared, a removal as a shared view is written first, so that users who
 * may no longer see it lose it.
 */
export const viewSaved = v.strictObject({
  type: v.literal('view.saved@1'),
  data: v.strictObject({ ...viewFields, owner: uuid }),
});
/**
 * `owner` and `shared` are the values before the removal. They determine which users receive the
 * event.
 */
export const viewRemoved = v.strictObject({
  type: v.literal('view.removed@1'),
  data: v.strictObject({ id: uuid, owner: uuid, shared: v.boolean() }),
});
