import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyId } from '../paging.ts';
import { NotificationSchema } from './notices.ts';

const { _id: _, ...fields } = NotificationSchema.entries;

export const notificationCalls = {
  listNotifications: call({
    method: 'POST',
    path: 'notifications',
    summary: 'What stands above the pages of a user: nothing that it has acknowledged.',
    input: v.strictObject({ userId: anyId }),
    output: v.array(NotificationSchema),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  ackNotification: call({
    method: 'POST',
    path: 'notifications/ack',
    summary: 'The user has taken note: it does not come back.',
    input: v.strictObject({
      notificationId: anyId,
      userId: anyId,
      event: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars)))),
      username: v.optional(v.pipe(v.string(), v.maxLength(LIMITS.nameChars))),
    }),
    output: v.object({}),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  publishNotification: call({
    method: 'POST',
    path: 'notifications/publish',
    summary:
      'Puts a notice above the pages of an app: for all, for those with a role, or for one user.',
    input: v.strictObject({
      ...fields,
      link: v.optional(fields.link, null),
      copy: v.optional(fields.copy, false),
      event: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars))), null),
      hideAck: v.optional(fields.hideAck, false),
      hideClose: v.optional(fields.hideClose, false),
      userId: v.optional(v.nullable(anyId), null),
      roles: v.optional(v.nullable(v.pipe(fields.roles.wrapped, v.maxLength(6))), null),
    }),
    output: NotificationSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  publishedNotifications: call({
    method: 'GET',
    path: 'notifications/published',
    summary: 'The notices that stand, newest first, and how many have acknowledged each.',
    input: v.strictObject({}),
    output: v.array(v.object({ ...NotificationSchema.entries, at: v.number(), acks: v.number() })),
    gate: 'admin.dashboard',
    failures: [],
  }),
  endNotification: call({
    method: 'DELETE',
    path: 'notifications/{id}',
    summary: 'Takes a notice away from everybody.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
} as const;
