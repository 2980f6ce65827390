import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import type { UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import type { RowOf } from '../row.ts';

/**
 * Preferences of a user, the same on every device. The value is JSON defined by the screen that
 * uses it; `theme` is the specification's own.
 */
export const PREFERENCES = ['theme', 'columns', 'density'] as const;
export type PreferenceName = (typeof PREFERENCES)[number];

export const PreferenceRowSchema = v.object({
  id: v.string(),
  user: v.string(),
  name: v.picklist(PREFERENCES),
  value: v.string(),
  at: v.number(),
});
export type PreferenceRow = RowOf<typeof PreferenceRowSchema>;
export const preferenceId = (user: UserId, name: PreferenceName): string => `${user}/${name}`;

export const preferenceFields = {
  name: v.picklist(PREFERENCES),
  value: v.pipe(v.string(), v.maxLength(LIMITS.preferenceChars)),
};
export const userPreferenceSaved = v.strictObject({
  type: v.literal('user.preferenceSaved@1'),
  data: v.strictObject({ id: uuidSchema<UserId>(), ...preferenceFields }),
});

export const ThemeSchema = v.strictObject({
  mode: v.optional(v.picklist(['light', 'dark', 'system'])),
  sidebarMini: v.optional(v.boolean()),
  sidebarColor: v.optional(v.pipe(v.string(), v.maxLength(32))),
});
export type Theme = v.InferOutput<typeof ThemeSchema>;
