import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import type { RowOf } from '../row.ts';
import { nameText } from '../text-schema.ts';

const uuid = v.pipe(v.string(), v.uuid());
export const viewFields = {
  id: uuid,
  name: nameText(),
  query: v.pipe(v.string(), v.maxLength(LIMITS.viewChars)),
  shared: v.boolean(),
};
/**
 * A saved view of a list. `query` is the query of its address, after `?`. Everyone with access to
 * the whole provider can see a shared view.
 */
export const ViewRowSchema = v.object({
  ...viewFields,
  owner: v.string(),
  savedAt: v.number(),
  removedAt: v.nullable(v.number()),
});
export type ViewRow = RowOf<typeof ViewRowSchema>;

/** A view in the menu. `ownerName` is empty if the device doesn't know the name. */
export interface OwnedView extends ViewRow {
  readonly ownerName: string;
}

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
export const viewDeleted = v.strictObject({
  type: v.literal('view.deleted@1'),
  data: v.strictObject({ id: uuid, owner: uuid, shared: v.boolean() }),
});
