import { expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import {
  createNotificationsForm,
  readNotifications,
} from '#src/features/backup/jobs/notifications-form.ts';
import {
  objectStateLabel,
  reasonLabel,
  sessionStateLabel,
} from '#src/features/backup/jobs/session-labels.ts';

const word = (...of: Parameters<typeof sessionStateLabel>): string =>
  sessionStateLabel(...of).label;

test('SUITE-34: a session says what it is doing, how it ended and what started it', () => {
  expect([
    word('queued', 'Running'),
    word('running', 'Running'),
    word('stopping', 'Running'),
    word('done', 'Success'),
    word('done', 'Warning'),
    word('done', 'Failed'),
    word('done', 'Error'),
  ]).toEqual(['Starting', 'Running', 'Stopping', 'Success', 'Warning', 'Failed', 'Stopped']);
  expect((['manual', 'schedule', 'retry', 'chained'] as const).map(reasonLabel)).toEqual([
    'Started by a user',
    'Started by the schedule',
    'Started as a retry',
    'Started after another job',
  ]);
  expect(
    ['queued', 'waiting', 'running', 'cancelled'].map((one) => objectStateLabel(one).label),
  ).toEqual(['Not started', 'Waiting', 'Running', 'Stopped']);
});

const KATE_ID = '00000000-0000-4000-8000-000000000001';
const KATE = { _id: KATE_ID, name: 'Kate', username: 'kate' };

test('SUITE-34: recipients are users and addresses in any list format, and at least one is required while emails are on', () => {
  const form = createNotificationsForm({
    enabled: true,
    notifyOnFailure: true,
    userIds: [KATE_ID, 'deleted'],
    externalAddresses: ['a@example.com', 'b@example.net'],
    users: [KATE],
  });
  expect(readNotifications(form).value).toEqual({
    enabled: true,
    notifyOnFailure: true,
    userIds: [KATE_ID],
    externalAddresses: ['a@example.com', 'b@example.net'],
  });
  const read = (addresses: string, more: object = {}) =>
    readNotifications({ ...form, users: [], addresses, ...more });
  expect(read(' a@example.com, b@example.net;\na@example.com ').value?.externalAddresses).toEqual([
    'a@example.com',
    'b@example.net',
  ]);
  expect(read('a@example.com nobody').errors.addresses).toBe('Enter valid email addresses.');
  expect(read('').errors.addresses).toBe('Add a user or an email address.');
  expect(read('', { users: [KATE] }).value).not.toBeNull();
  expect(read('', { enabled: false }).value).not.toBeNull();
  const many = Array.from(
    { length: LIMITS.backupJobRecipients + 1 },
    (_, n) => `n${n}@example.com`,
  );
  expect(read(many.join('\n')).value).toBeNull();
});
