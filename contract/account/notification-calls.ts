import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyId } from '../paging.ts';
import { NotificationSchema } from './notifications.ts';

const { _id: _, ...fields } = NotificationSchema.entries;

export const notificationCalls = {
  listNotifications: call({
    method: 'POST',
    path: 'notifications',
    says: 'What stands above the pages of a user: nothing that it has acknowledged.',
    takes: v.strictObject({ userId: anyId }),
    gives: v.array(NotificationSchema),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  ackNotification: call({
    method: 'POST',
    path: 'notifications/ack',
    says: 'The user has taken note: it does not come back.',
    takes: v.strictObject({
      notificationId: anyId,
      userId: anyId,
      event: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars)))),
      username: v.optional(v.pipe(v.string(), v.maxLength(LIMITS.nameChars))),
    }),
    gives: v.object({}),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  publishNotification: call({
    method: 'POST',
    path: 'notifications/publish',
    says: 'Puts a notice above the pages of an app: for all, for those with a role, or for one user.',
    takes: v.strictObject({
      ...fields,
      link: v.optional(fields.link, null),
      copy: v.optional(fields.copy, false),
      event: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars))), null),
      hideAck: v.optional(fields.hideAck, false),
      hideClose: v.optional(fields.hideClose, false),
      userId: v.optional(v.nullable(anyId), null),
      roles: v.optional(v.nullable(v.pipe(fields.roles.wrapped, v.maxLength(6))), null),
    }),
    gives: NotificationSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  publishedNotifications: call({
    method: 'GET',
    path: 'notifications/published',
    says: 'The notices that stand, newest first, and how many have acknowledged each.',
    takes: v.strictObject({}),
    gives: v.array(v.object({ ...NotificationSchema.entries, at: v.number(), acks: v.number() })),
    gate: 'admin.dashboard',
    failures: [],
  }),
  endNotification: call({
    method: 'DELETE',
    path: 'notifications/{id}',
    says: 'Takes a notice away from everybody.',
    takes: v.strictObject({ id: anyId }),
    gives: v.object({}),
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
} as const;
