import { expect, test } from 'vitest';
import { notificationCalls } from '#contract/notifications/notice-calls.ts';
import { providerCalls } from '#contract/providers/calls.ts';
import {
  EMPTY_NOTICE,
  NOTICE_ERRORS,
  getNotice,
  getReaders,
  findMissingChoice,
} from '#src/features/notifications/notices/draft.ts';
import { hostsIn, hostsText } from '#src/features/providers/host-names.ts';
import { findFormErrors, readServerErrors } from '#src/ui/form-errors.ts';

test('ADMIN-6: pasted host names are normalized, each once', () => {
  expect(
    hostsIn(' Backup.Example.com, https://portal.example.com:8443/login\nbackup.example.com ;'),
  ).toEqual(['backup.example.com', 'portal.example.com']);
  expect(hostsIn(hostsText(['a.example', 'b.example']))).toEqual(['a.example', 'b.example']);
});

test('ADMIN-6: invalid values are reported at their fields before they are sent', () => {
  const words = { 'name': 'Name it.', 'hosts': 'Hosts.', 'administrator.email': 'Mail.' };
  const takes = providerCalls.createProvider.input;
  const administrator = { username: 'c', name: 'C', email: 'nothing' };
  expect(
    findFormErrors(takes, { name: ' ', hosts: ['ok.example', 'not ok'], administrator }, words),
  ).toEqual({ 'name': 'Name it.', 'hosts.1': 'Hosts.', 'administrator.email': 'Mail.' });
  expect(
    findFormErrors(
      takes,
      {
        name: 'N',
        hosts: ['ok.example'],
        administrator: { ...administrator, email: 'c@example.com' },
      },
      words,
    ),
  ).toEqual({});
});

test('ADMIN-6: an error of the server is shown at the field that it names, or above the form', () => {
  expect(readServerErrors(bad('rows.3.link'), { 'rows.*.link': 'Mend the link.' })).toEqual({
    errors: { 'rows.3.link': 'Mend the link.' },
    above: null,
  });
  expect(readServerErrors(bad('elsewhere'), {})).toEqual({
    errors: {},
    above: "Some fields aren't valid. because",
  });
  expect(readServerErrors({ kind: 'forbidden', message: 'No.' }, {})).toEqual({
    errors: {},
    above: 'No.',
  });
});

test('NOTE-4: a notice goes to the chosen recipients: choosing nobody is an error and never means everybody', () => {
  const draft = { ...EMPTY_NOTICE, message: ' Read this ' };
  expect(getNotice(draft)).toMatchObject({
    message: 'Read this',
    link: null,
    copy: false,
    userId: null,
    roles: null,
  });
  expect(findMissingChoice({ ...draft, to: 'roles' })).toEqual({ roles: NOTICE_ERRORS.roles });
  expect(findMissingChoice({ ...draft, to: 'user' })).toEqual({ userId: NOTICE_ERRORS.userId });
  expect(
    getNotice({ ...draft, to: 'roles', roles: ['operator'], userId: 'left over' }),
  ).toMatchObject({ roles: ['operator'], userId: null });
  expect(
    findFormErrors(
      notificationCalls.publishNotification.input,
      getNotice({ ...EMPTY_NOTICE, link: 'http://plain.example' }),
      NOTICE_ERRORS,
    ),
  ).toEqual({ message: NOTICE_ERRORS.message, link: NOTICE_ERRORS.link });
  expect(getReaders({ userId: 'u', roles: null }, () => 'Ruth')).toBe('Ruth');
  expect(getReaders({ userId: null, roles: null }, () => null)).toBe('Everyone');
});

const bad = (path: string) =>
  ({
    kind: 'bad-input',
    message: "Some fields aren't valid.",
    issues: [{ path, message: 'because' }],
  }) as const;
