import { expect, test } from 'vitest';
import { notificationCalls } from '#contract/notifications/notice-calls.ts';
import { providerCalls } from '#contract/providers/calls.ts';
import {
  EMPTY,
  FAULT_WORDS,
  noticeOf,
  readersOf,
  unchosen,
} from '#src/features/notifications/notices/draft.ts';
import { hostsIn, hostsText } from '#src/features/providers/host-names.ts';
import { findFormErrors, readServerErrors } from '#src/ui/form-errors.ts';

test('ADMIN-6: host names are taken as people paste them, each once', () => {
  expect(
    hostsIn(' Backup.Example.com, https://portal.example.com:8443/login\nbackup.example.com ;'),
  ).toEqual(['backup.example.com', 'portal.example.com']);
  expect(hostsIn(hostsText(['a.example', 'b.example']))).toEqual(['a.example', 'b.example']);
});

test('ADMIN-6: what the server would refuse is told beside its field in the words of the form', () => {
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

test('ADMIN-6: a refusal of the server goes to the field that it names, and above the form where there is none', () => {
  expect(readServerErrors(bad('rows.3.link'), { 'rows.*.link': 'Mend the link.' })).toEqual({
    faults: { 'rows.3.link': 'Mend the link.' },
    above: null,
  });
  expect(readServerErrors(bad('elsewhere'), {})).toEqual({
    faults: {},
    above: "Some fields aren't valid. because",
  });
  expect(readServerErrors({ kind: 'forbidden', message: 'No.' }, {})).toEqual({
    faults: {},
    above: 'No.',
  });
});

test('NOTE-4: a notice goes to whom was chosen: nobody chosen is a fault, and never everybody', () => {
  const draft = { ...EMPTY, message: ' Read this ' };
  expect(noticeOf(draft)).toMatchObject({
    message: 'Read this',
    link: null,
    copy: false,
    userId: null,
    roles: null,
  });
  expect(unchosen({ ...draft, to: 'roles' })).toEqual({ roles: FAULT_WORDS.roles });
  expect(unchosen({ ...draft, to: 'user' })).toEqual({ userId: FAULT_WORDS.userId });
  expect(
    noticeOf({ ...draft, to: 'roles', roles: ['operator'], userId: 'left over' }),
  ).toMatchObject({ roles: ['operator'], userId: null });
  expect(
    findFormErrors(
      notificationCalls.publishNotification.input,
      noticeOf({ ...EMPTY, link: 'http://plain.example' }),
      FAULT_WORDS,
    ),
  ).toEqual({ message: FAULT_WORDS.message, link: FAULT_WORDS.link });
  expect(readersOf({ userId: 'u', roles: null }, () => 'Ruth')).toBe('Ruth');
  expect(readersOf({ userId: null, roles: null }, () => null)).toBe('Everyone');
});

const bad = (path: string) =>
  ({
    kind: 'bad-input',
    message: "Some fields aren't valid.",
    issues: [{ path, message: 'because' }],
  }) as const;
