import * as v from 'valibot';
import type { Ms, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { nameText } from '../text-schema.ts';

/**
 * A list that was given a name. `query` is what stands in its address after `?`. A shared one is
 * shown to all who see the whole provider.
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

/** As the menu shows it. `ownerName`: empty where the device does not know it. */
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
 * One that is no longer shared is removed first, as shared, so that those lose it who may not see
 * it any more.
 */
export const viewSaved = v.strictObject({
  type: v.literal('view.saved@1'),
  data: v.strictObject({ ...viewFields, owner: uuid }),
});
/** `owner` and `shared`: as it was, for who is told. */
export const viewRemoved = v.strictObject({
  type: v.literal('view.removed@1'),
  data: v.strictObject({ id: uuid, owner: uuid, shared: v.boolean() }),
});
