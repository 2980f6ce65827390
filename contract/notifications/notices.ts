import * as v from 'valibot';
import { RoleSchema } from '../role-schema.ts';
import { LIMITS } from '../limits.ts';

/**
 * A notice above the pages of one app. `userId` null: for everyone of the provider, or for users
 * with one of `roles` if there are any.
 */
export const NotificationSchema = v.object({
  _id: v.string(),
  app: v.picklist(['monitoring', 'o365', 'admin']),
  severity: v.picklist(['info', 'success', 'warning', 'error']),
  message: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.messageChars)),
  link: v.nullable(
    v.pipe(v.string(), v.maxLength(2_000), v.regex(/^(https:\/\/[^\s\\]+|\/(?![/\\])[^\s\\]*)$/)),
  ),
  /** Whether the link is offered for copying. */
  copy: v.boolean(),
  event: v.nullable(v.string()),
  hideAck: v.boolean(),
  hideClose: v.boolean(),
  userId: v.nullable(v.string()),
  roles: v.nullable(v.array(RoleSchema)),
});
export type Notification = v.InferOutput<typeof NotificationSchema>;
