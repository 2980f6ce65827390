import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyUserId, anyId } from '../paging.ts';
import { NotificationSchema } from './notices.ts';

const { _id: _, ...fields } = NotificationSchema.entries;

export const notificationCalls = {
  listNotifications: call({
    method: 'POST',
    path: 'notifications',
    summary: 'Lists the notices that a user has not acknowledged.',
    input: v.strictObject({ userId: anyUserId }),
    output: v.array(NotificationSchema),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  ackNotification: call({
    method: 'POST',
    path: 'notifications/ack',
    summary: "Acknowledges a notice for the user, so that it doesn't appear again.",
    input: v.strictObject({
      notificationId: anyId,
      userId: anyUserId,
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
    summary: 'Publishes a notice in an app: for everyone, for users with a role, or for one user.',
    input: v.strictObject({
      ...fields,
      link: v.optional(fields.link, null),
      copy: v.optional(fields.copy, false),
      event: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars))), null),
      hideAck: v.optional(fields.hideAck, false),
      hideClose: v.optional(fields.hideClose, false),
      userId: v.optional(v.nullable(anyUserId), null),
      roles: v.optional(v.nullable(v.pipe(fields.roles.wrapped, v.maxLength(6))), null),
    }),
    output: NotificationSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  listPublishedNotifications: call({
    method: 'GET',
    path: 'notifications/published',
    summary: 'Lists the active notices, newest first, and how many users have acknowledged each.',
    input: v.strictObject({}),
    output: v.array(v.object({ ...NotificationSchema.entries, at: v.number(), acks: v.number() })),
    gate: 'admin.dashboard',
    failures: [],
  }),
  endNotification: call({
    method: 'DELETE',
    path: 'notifications/{id}',
    summary: 'Removes a notice for everyone.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
} as const;
