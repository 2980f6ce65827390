import * as fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import { companyCalls } from '#contract/companies/calls.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { userCalls } from '#contract/users/calls.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { getFieldErrors } from '#src/features/shared/forms/field-errors.ts';
import * as company from '#src/features/companies/form.ts';
import { linkings } from '#src/features/companies/linking.ts';
import {
  toChanges,
  createUserInput,
  toDraft,
  getUserErrors,
  getField,
  stripPhone,
} from '#src/features/users/form.ts';
import type { UserDraft } from '#src/features/users/form.ts';
import { pageLinks, getPages } from '#src/ui/pager.tsx';

const ID = '3f2b8a54-90a1-4c0e-9d5c-0f1f0c7a1b22';
const USER: UserListed = {
  _id: ID,
  username: 'ann',
  name: 'Ann Keller',
  emailVerified: true,
  email: 'ann@example.com',
  roles: 'operator, admin',
  acl: [{ role: 'operator' }, { role: 'admin' }],
  companies: [{ n: 2, _id: 'x', name: 'Calloway Freight' }],
  auth: 'db',
  mobilePhone: '+15550100200',
  officePhone: null,
  sms: false,
  sso: {
    vac: { username: 'ann-vac', enabled: true },
    vcd: null,
    zerto: { zorgId: 'z-1', enabled: false },
  },
  accounts: [],
  managedFilterType: 'managed',
  assignAsConnectWiseOwner: false,
  forceSecurityQuestions: false,
  veeamServiceAccount: null,
  isO365Migrator: false,
  landingPage: null,
  features: ['x'],
  passwordReset: false,
  invited: false,
  deleted: false,
  deletedAt: null,
  madeAt: 0,
  lastSignIn: null,
  signedIn: false,
  secondFactor: 'none',
  editable: true,
};
const NEW: UserDraft = { ...toDraft(null), name: 'Bo', username: 'bo', email: 'bo@example.com' };

test('USER-11: the server accepts what the form accepts; what the server would refuse is shown at its field', () => {
  expect(getUserErrors(toDraft(null), null)).toEqual({
    name: 'Enter a name.',
    username: 'Enter a username.',
    email: 'Enter an email address.',
  });
  expect(
    getUserErrors(
      {
        ...NEW,
        username: 'b o',
        email: 'bo',
        roles: [],
        companies: [],
        mobilePhone: '0555',
        sms: true,
        landingPage: '//evil.example',
        sso: { ...NEW.sso, zerto: { name: ' ', enabled: true } },
        first: 'password',
      },
      null,
    ),
  ).toEqual({
    username: "A username can't contain spaces.",
    email: 'Enter a valid email address.',
    roles: 'Select at least one role.',
    companies: 'Select at least one company, or all companies.',
    mobilePhone: 'Include the country code, such as +1 555 010 0200.',
    landingPage:
      'Enter a path that begins with a slash and has no spaces, such as /monitoring/dashboard.',
    zerto: 'Enter the account, or turn single sign-on off.',
    password: 'Enter a first password.',
  });
  expect(Object.keys(getUserErrors({ ...NEW, landingPage: '/ monitoring' }, null))).toEqual([
    'landingPage',
  ]);
  const words = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      '',
      ' x ',
      '+49 (30) 1234-567',
      '0049301234567',
      '/monitoring/users',
      '\\x',
      '/\\x',
      '/x y',
      '/x\\',
      'a@b.co',
    ),
  );
  const drafts = fc.record({
    name: words,
    username: words,
    email: fc.oneof(words, fc.constant('bo@example.com')),
    auth: fc.constantFrom('ad' as const, 'db' as const),
    first: fc.constantFrom('invite' as const, 'password' as const),
    password: words,
    roles: fc.uniqueArray(fc.constantFrom(...ROLES)),
    companies: fc.option(fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 5 })),
    mobilePhone: words,
    officePhone: words,
    sms: fc.boolean(),
    sso: fc.record({ vac: sso(words), vcd: sso(words), zerto: sso(words) }),
    managedFilterType: fc.constantFrom('managed' as const, null),
    assignAsConnectWiseOwner: fc.boolean(),
    forceSecurityQuestions: fc.boolean(),
    isO365Migrator: fc.boolean(),
    veeamServiceAccount: words,
    landingPage: words,
  });
  fc.assert(
    fc.property(drafts, (draft) => {
      const details = Object.keys(getUserErrors(draft, null));
      const refused = v.safeParse(userCalls.createUser.input, createUserInput(draft)).issues ?? [];
      // Only the server knows all that an address may be; it says so at the field.
      expect(
        refused
          .map((issue) => getField(v.getDotPath(issue) ?? ''))
          .filter((field) => field !== 'email' && !details.includes(field ?? '')),
      ).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('USER-11, USER-14: a user without an email address can be edited without one; a new user, and one who has had one, needs it', () => {
  const none = { ...USER, email: null };
  const draft = toDraft(none);
  expect(getUserErrors({ ...draft, name: 'Ann Again' }, none)).toEqual({});
  expect(toChanges({ ...draft, name: 'Ann Again' }, none)).toEqual({ name: 'Ann Again' });
  expect(getUserErrors({ ...draft, email: 'no address' }, none)).toEqual({
    email: 'Enter a valid email address.',
  });
  expect([
    getUserErrors({ ...toDraft(USER), email: ' ' }, USER),
    getUserErrors({ ...NEW, email: '' }, null),
  ]).toEqual([{ email: 'Enter an email address.' }, { email: 'Enter an email address.' }]);
});
const sso = (words: fc.Arbitrary<string>) => fc.record({ name: words, enabled: fc.boolean() });

test('USER-11: a number is accepted as people write it', () => {
  expect(['+1 (555) 010-0200', '0049 30 1234.567', ' +15550100200 '].map(stripPhone)).toEqual([
    '+15550100200',
    '+49301234567',
    '+15550100200',
  ]);
});

test('USER-11: only changes are sent, and a new user is invited or has a first password, never both', () => {
  const draft = toDraft(USER);
  expect(toChanges(draft, USER)).toEqual({});
  expect(toChanges({ ...draft, name: ' Ann K. ' }, USER)).toEqual({ name: 'Ann K.' });
  expect(toChanges({ ...draft, companies: null, mobilePhone: '' }, USER)).toEqual({
    companies: null,
    mobilePhone: null,
  });
  expect(
    toChanges({ ...draft, sso: { ...draft.sso, vcd: { name: 'ann', enabled: true } } }, USER),
  ).toEqual({
    sso: {
      vac: { username: 'ann-vac', enabled: true },
      vcd: { username: 'ann', enabled: true },
      zerto: { zorgId: 'z-1', enabled: false },
    },
  });
  const invited = createUserInput(NEW);
  const first = createUserInput({ ...NEW, first: 'password', password: 'quiet-ledger-morning' });
  const directory = createUserInput({ ...NEW, auth: 'ad', password: 'left over' });
  expect([
    invited.invite,
    invited.password,
    first.invite,
    first.password,
    directory.invite,
    directory.password,
  ]).toEqual([true, undefined, undefined, 'quiet-ledger-morning', undefined, undefined]);
});

test("USER-11: a refusal shows the server's message at the field that it names", () => {
  const bad = {
    kind: 'bad-input',
    message: 'Some',
    issues: [
      { path: 'sso.vac.username', message: 'too long' },
      { path: 'password', message: 'Too common.' },
    ],
  } as const;
  expect(getFieldErrors(bad)).toEqual({
    'sso.vac.username': 'too long',
    'password': 'Too common.',
  });
  expect(Object.keys(getFieldErrors(bad)).map(getField)).toEqual(['password', 'vac']);
  expect(getField('features.0')).toBeNull();
});

const OURS = (name: string, more: Partial<CompanyListed> = {}): CompanyListed => ({
  _id: name,
  n: 1,
  name,
  applications: NO_APPLICATIONS,
  veeamId: null,
  users: [],
  notify: [],
  madeAt: 0,
  jobs: 0,
  keys: 0,
  ...more,
});

test('COMP-8: only changes of a company are sent, in a form that the server accepts', () => {
  const one = OURS('Calloway Freight', { notify: [{ _id: ID, name: 'Ann', username: 'ann' }] });
  const draft = company.getCompanyDraft(one);
  expect(company.getCompanyChanges(draft, one)).toEqual({});
  expect(company.getCompanyChanges({ ...draft, notify: [] }, one)).toEqual({ notify: [] });
  const next = {
    ...draft,
    name: ' Calloway ',
    vac: ' 17 ',
    office365: true,
    organizations: ['contoso.onmicrosoft.com'],
  };
  expect(company.getCompanyChanges(next, one)).toEqual({
    name: 'Calloway',
    applications: {
      vac: { id: '17' },
      vcd: { id: null },
      zerto: { id: null },
      office365: { enabled: true, organizations: [{ id: 'contoso.onmicrosoft.com' }] },
    },
  });
  expect(
    v.safeParse(companyCalls.createCompany.input, company.createCompanyInput(next)).success,
  ).toBe(true);
  expect(
    company.applicationWords({
      ...NO_APPLICATIONS,
      vac: { id: '1' },
      office365: { enabled: true, organizations: [] },
    }),
  ).toBe('VSPC, Microsoft 365');
});

test('COMP-8: companies of the other console: the same name first, then unknown, then linked ones; a linked one is not linked again', () => {
  const there = [
    { id: '1', name: 'Zeta', companyId: null },
    { id: '2', name: 'calloway freight', companyId: null },
    { id: '3', name: 'Linked', companyId: 'Linked' },
    { id: '4', name: 'Taken', companyId: null },
    { id: '5', name: 'Not seen', companyId: 'gone' },
  ];
  const found = linkings(there, [
    OURS('Calloway Freight'),
    OURS('Linked'),
    OURS('Taken', { applications: { ...NO_APPLICATIONS, vac: { id: '9' } } }),
  ]);
  expect(
    found.map((one) => [
      one.kind,
      one.there.id,
      one.kind === 'unknown' ? null : (one.ours?.name ?? null),
    ]),
  ).toEqual([
    ['same-name', '2', 'Calloway Freight'],
    ['unknown', '4', null],
    ['unknown', '1', null],
    ['linked', '3', 'Linked'],
    ['linked', '5', null],
  ]);
});

test('USER-11: five page links, the current one in the middle if possible', () => {
  expect([
    pageLinks(1, 1),
    pageLinks(1, 9),
    pageLinks(5, 9),
    pageLinks(9, 9),
    pageLinks(2, 3),
  ]).toEqual([[1], [1, 2, 3, 4, 5], [3, 4, 5, 6, 7], [5, 6, 7, 8, 9], [1, 2, 3]]);
  expect([getPages(0, 10), getPages(10, 10), getPages(11, 10), getPages(10_000, 10)]).toEqual([
    1, 1, 2, 1000,
  ]);
});
