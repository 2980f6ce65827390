import { expect, test } from 'vitest';
import type { Profile } from '#contract/auth/profile-calls.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import {
  getProfileChanges,
  getProfileDraft,
  getProfileErrors,
  getRefusal,
} from '#src/features/auth/profile/profile-draft.ts';
import { findAnswerErrors, findIssueErrors } from '#src/features/auth/security/questions-errors.ts';

const profile: Profile = {
  id: 'u1',
  name: 'Dana Reyes',
  username: 'dana',
  emailVerified: true,
  emailLinkUntil: null,
  email: 'dana@example.com',
  auth: 'db',
  acl: [{ role: 'operator' }],
  accounts: undefined,
  sso: undefined,
  managedFilterType: undefined,
  assignAsConnectWiseOwner: undefined,
  veeamServiceAccount: undefined,
  isO365Migrator: undefined,
  features: undefined,
  notices: { product: false },
  wizardPromptDismissed: undefined,
  passwordReset: false,
  forceSecurityQuestions: false,
  theme: {},
  mobilePhone: '+15550100200',
  officePhone: null,
  serviceProviderId: 'p1',
  masterServiceProviderId: null,
  landingApp: null,
  ackO365TermsOfUse: false,
  hasOrganizations: false,
  hasJobs: true,
  notifications: [],
  stripe: null,
  language: null,
  timeZone: 'Europe/Berlin',
  securityQuestions: [],
  passwordAt: null,
};
const draft = getProfileDraft(profile);

test('OWN-3: only changed fields are sent; an empty field clears the value', () => {
  expect(getProfileChanges(draft, profile)).toBeNull();
  expect(
    getProfileChanges({ ...draft, name: ' Dana Reyes ', username: 'dana' }, profile),
  ).toBeNull();
  expect(
    getProfileChanges(
      { ...draft, mobilePhone: '', timeZone: '', officePhone: '00 1 (555) 010-0299' },
      profile,
    ),
  ).toEqual({ mobilePhone: null, timeZone: null, officePhone: '+15550100299' });
  expect(
    getProfileChanges(
      { ...draft, language: 'en-XA', notices: { ...draft.notices, security: false } },
      profile,
    ),
  ).toEqual({ language: 'en-XA', notices: { security: false } });
});

test('OWN-3: changed fields are validated before they are sent', () => {
  expect(getProfileErrors(draft, profile)).toEqual({});
  expect(
    getProfileErrors(
      { ...draft, name: ' ', username: '', email: 'dana@', mobilePhone: '0555', officePhone: 'x' },
      profile,
    ),
  ).toEqual({
    name: 'Enter your name.',
    username: 'Enter a username.',
    email: 'Enter an address such as name@example.com.',
    mobilePhone: ACCOUNT.phoneNotValid,
    officePhone: ACCOUNT.phoneNotValid,
  });
  // What somebody else has kept in another form is not asked about.
  const old = { ...profile, officePhone: '0555 01', email: '' };
  expect(getProfileErrors(getProfileDraft(old), old)).toEqual({});
});

test("OWN-3: errors of fields are shown at the fields, all others above the form in the specification's words", () => {
  expect(getRefusal({ kind: 'conflict', message: 'x' })).toEqual({
    errors: { username: 'The username already exists.' },
    above: null,
  });
  expect(
    getRefusal({
      kind: 'bad-input',
      message: 'x',
      issues: [
        { path: 'timeZone', message: 'no zone' },
        { path: 'theme.mode', message: 'no' },
      ],
    }),
  ).toEqual({ errors: { timeZone: 'no zone' }, above: null });
  expect(
    getRefusal({ kind: 'bad-input', message: 'x', issues: [{ path: '', message: 'no' }] }),
  ).toEqual({ errors: {}, above: 'x' });
  expect(getRefusal({ kind: 'not-found', message: 'x' }).above).toBe('Sorry, edit profile failed');
  expect(getRefusal({ kind: 'needs-network', message: 'net' }).above).toBe('net');
});

test('OWN-4: three questions need three different answers, and a server error is shown at its row', () => {
  const [one, two, three] = [
    'What was the name of your first pet?',
    'What was the make of your first car?',
    'In which town was your first job?',
  ] as const;
  expect(
    findAnswerErrors([
      { question: one, answer: 'Biscuit' },
      { question: two, answer: 'Volvo' },
      { question: three, answer: 'Leeds' },
    ]),
  ).toEqual([null, null, null]);
  expect(
    findAnswerErrors([
      { question: '', answer: 'Biscuit' },
      { question: two, answer: ' a ' },
      { question: three, answer: 'biscuit' },
    ]),
  ).toEqual([
    { of: 'question', sentence: 'Select a question.' },
    { of: 'answer', sentence: ACCOUNT.answerTooShort },
    { of: 'answer', sentence: ACCOUNT.answerTwice },
  ]);
  expect(
    findIssueErrors([
      { path: 'answers.1.question', message: 'q' },
      { path: 'answers.1.answer', message: 'a' },
      { path: 'answers', message: 'n' },
    ]),
  ).toEqual([null, { of: 'question', sentence: 'q' }, null]);
});
