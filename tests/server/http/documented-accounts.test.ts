/**
 * The field names of the specification (sections 3 and 7) of accounts and providers, typed by hand: a client that was
 * written by the document finds each of them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getErrors } from './documented.ts';
import type { Fields, Person, Portal } from './documented.ts';
import {
  APPLICATIONS,
  documentedPortal,
  LOGINS,
  named,
  page,
  readsBy,
  SEEN,
} from './documented-portal.ts';
import type { Row } from './documented-portal.ts';

let portal: Portal;
let ask: Person;
let signedIn: unknown;
let kate: string;
let mae: string;
const { errors, good, list } = readsBy(() => ask);

const SSO: Fields = {
  vac: { username: 'text', enabled: 'flag' },
  vcd: { username: 'text', enabled: 'flag' },
  zerto: { zorgId: 'text', enabled: 'flag' },
};
const NOTIFICATION: Fields = {
  _id: 'text',
  app: 'text',
  severity: 'text',
  message: 'text',
  link: 'text',
  copy: 'flag',
  event: 'text',
  hideAck: 'flag',
  hideClose: 'flag',
  userId: 'text',
};
const COMPANY: Fields = {
  _id: 'text',
  name: 'text',
  veeamId: 'text',
  users: [{ _id: 'text', name: 'text' }],
  applications: {
    vac: SEEN,
    vcd: SEEN,
    zerto: SEEN,
    office365: { enabled: 'flag', organizations: [SEEN] },
  },
};
const USER: Fields = {
  _id: 'text',
  name: 'text',
  username: 'text',
  email: 'text',
  roles: 'text',
  acl: [{ role: 'text' }],
  sso: SSO,
  companies: [{ _id: 'text', name: 'text' }],
  accounts: [{ accountId: 'text' }],
  deleted: 'flag',
  mobilePhone: 'text',
  officePhone: 'text',
  managedFilterType: 'text',
  assignAsConnectWiseOwner: 'flag',
  forceSecurityQuestions: 'flag',
  veeamServiceAccount: 'text',
  isO365Migrator: 'flag',
  features: ['text'],
};

/** The fields of the signed-in user, as section 3 of the specification lists them. */
const PROFILE: Fields = {
  id: 'text',
  name: 'text',
  email: 'text',
  username: 'text',
  accounts: [{ accountId: 'text' }],
  acl: [{ role: 'text' }],
  passwordReset: 'flag',
  veeamServiceAccount: 'text',
  theme: { mode: 'text', sidebarMini: 'flag', sidebarColor: 'text' },
  sso: SSO,
  forceSecurityQuestions: 'flag',
  mobilePhone: 'text',
  officePhone: 'text',
  managedFilterType: 'text',
  assignAsConnectWiseOwner: 'flag',
  serviceProviderId: 'text',
  isO365Migrator: 'flag',
  features: ['text'],
  landingApp: { page: 'text' },
  ackO365TermsOfUse: 'flag',
  hasOrganizations: 'flag',
  hasJobs: 'flag',
  wizardPromptDismissed: 'flag',
  notifications: [NOTIFICATION],
  stripe: 'null',
  masterServiceProviderId: 'text',
};

beforeAll(async () => {
  ({ portal, ask, signedIn, kate, mae } = await documentedPortal());
});
afterAll(() => portal.server.stop(0));

test('ROW-1: the sign-in answers with the token and the same fields of the user as the profile', async () => {
  expect(getErrors([signedIn], { token: 'text', userId: 'text' })).toEqual([]);
  expect(await errors('app/get_ip_location', { country: 'null' })).toEqual([]);
  await good('PUT', `profile/${kate}`, {
    theme: { mode: 'dark', sidebarMini: true, sidebarColor: 'blue' },
    ackO365TermsOfUse: true,
    wizardPromptDismissed: true,
  });
  expect(await errors(`profile/${kate}`, PROFILE)).toEqual([]);
  const { signedIn: again } = await portal.enter('kate');
  const { user } = again as { user: Record<string, unknown> };
  expect(getErrors([user], PROFILE)).toEqual([]);
  expect(user).toMatchObject(await good('GET', `profile/${kate}`));
  expect(await good('GET', `profile/${kate}`)).toMatchObject({
    hasOrganizations: true,
    hasJobs: true,
    ackO365TermsOfUse: true,
    wizardPromptDismissed: true,
    landingApp: { page: '/o365/jobs' },
    sso: LOGINS,
  });
});

test('ROW-1, PROFILE-7: a partial theme is merged into the stored one', async () => {
  await good('PUT', `profile/${kate}`, {
    theme: { mode: 'dark', sidebarMini: true, sidebarColor: 'blue' },
  });
  expect(await good('PUT', `profile/${kate}`, { theme: { sidebarMini: false } })).toMatchObject({
    theme: { mode: 'dark', sidebarMini: false, sidebarColor: 'blue' },
  });
  expect(await good('PUT', `profile/${kate}`, { theme: { mode: 'light' } })).toMatchObject({
    theme: { mode: 'light', sidebarMini: false, sidebarColor: 'blue' },
  });
});

test('ROW-1: the branding has the documented fields and switches', async () => {
  await good('PUT', `service-providers/${portal.tenant}/branding`, {
    title: 'Calloway',
    favIconUrl: '/favicon.svg',
    sidebarLogoUrl: 'https://cdn.example.com/logo.svg',
    sidebarLogoWidth: 120,
    sidebarLogoHeight: 30,
    sidebarTitle: 'Portal',
    supportEmail: 'help@example.com',
    supportPhone: '+1 555 0100',
    features: {
      ...(await good<{ features: Row }>('GET', 'service-providers/branding')).features,
      socialMedia: { links: [{ platform: 'github', link: 'https://social.example.com' }] },
      supportSection: {
        enabled: true,
        links: {
          request: true,
          live: false,
          downloads: true,
          faq: { enabled: true, url: 'https://faq.example.com' },
        },
      },
      office365: {
        selfRegistration: {
          termsOfUse: { title: 'Terms', text: 'Be kind.', version: '1' },
          serviceLevels: [{ id: 'basic', label: 'Basic' }],
        },
        restoreUrl: 'https://restore.example.com',
        restorePortal: { outlook: true, onedrive: true, sharepoint: false, teams: false },
      },
    },
  });
  expect(
    await errors('service-providers/branding', {
      id: 'text',
      name: 'text',
      title: 'text',
      favIconUrl: 'text',
      apiUrl: 'text',
      domain: 'text',
      sidebarLogoUrl: 'text',
      sidebarLogoWidth: 'number',
      sidebarLogoHeight: 'number',
      sidebarTitle: 'text',
      supportEmail: 'text',
      supportPhone: 'text',
      authType: 'text',
      isStripeEnabled: 'flag',
      features: {
        rules: 'flag',
        hints: 'flag',
        reporting: { visibleFor: ['text'] },
        footer: 'flag',
        socialMedia: { links: [{ platform: 'text', link: 'text' }] },
        supportSection: {
          enabled: 'flag',
          links: {
            request: 'flag',
            live: 'flag',
            downloads: 'flag',
            faq: { enabled: 'flag', url: 'text' },
          },
        },
        invoice_automation: 'flag',
        billing: { ccCollection: 'flag' },
        office365: {
          selfRegistration: {
            termsOfUse: { title: 'text' },
            serviceLevels: [{ id: 'text', label: 'text' }],
          },
          restoreUrl: 'text',
          restorePortal: { outlook: 'flag', onedrive: 'flag', sharepoint: 'flag', teams: 'flag' },
        },
      },
    }),
  ).toEqual([]);
});

test('ROW-1, NOTE-1, NOTE-2: notifications are read with `success` and `data`, and acknowledged by their id', async () => {
  const made = await good('POST', 'notifications/publish', {
    app: 'monitoring',
    severity: 'info',
    message: 'Update tonight',
    link: '/monitoring/hints',
    event: 'update',
    userId: kate,
  });
  const { success, data } = await ask('POST', 'notifications', { userId: kate });
  expect([success, getErrors([data], [NOTIFICATION])]).toEqual([true, []]);
  const all = data as readonly Row[];
  const notificationId = named(made, '_id');
  expect(
    (
      await ask('POST', 'notifications/ack', {
        notificationId,
        userId: kate,
        event: 'update',
        username: 'kate',
      })
    ).success,
  ).toBe(true);
  const left = await good<readonly Row[]>('POST', 'notifications', { userId: kate });
  const { notifications } = await good('GET', `profile/${kate}`);
  expect([left.length, notifications]).toEqual([all.length - 1, left]);
  expect(getErrors([await good('GET', 'notifications/published')], [NOTIFICATION])).toEqual([]);
});

test('ROW-1: licensing is keyed by `serviceProvider.id`, that of companies by `serviceProviderId`', async () => {
  expect(
    await errors('monitoring/reporting/licensing', {
      providers: [{ serviceProvider: { id: 'text', name: 'text' } }],
    }),
  ).toEqual([]);
  expect(
    await errors('monitoring/reporting/licensing/companies', {
      companies: [{ serviceProviderId: 'text', companyName: 'text' }],
    }),
  ).toEqual([]);
  const {
    providers: [own],
  } = await good<{ providers: readonly { serviceProvider: Row }[] }>(
    'GET',
    'monitoring/reporting/licensing',
  );
  expect(own?.serviceProvider).toMatchObject({ id: portal.tenant });
  expect(
    await good(
      'GET',
      `monitoring/reporting/licensing/companies?serviceProviderId=${portal.tenant}`,
    ),
  ).toMatchObject({ companies: [{ serviceProviderId: portal.tenant }] });
  expect(
    getErrors(
      [await list('monitoring/reporting/service-providers')],
      [{ _id: 'text', name: 'text' }],
    ),
  ).toEqual([]);
});

test('ROW-1, ROW-2: users in the list have roles as text and as entries, and are changed, marked and removed by `_id`', async () => {
  expect(await errors('monitoring/reporting/users?pageSize=100', page(USER))).toEqual([]);
  const listed = (await list('monitoring/reporting/users?search=mae'))[0];
  expect(listed).toMatchObject({
    _id: mae,
    roles: 'operator, read-only',
    acl: [{ role: 'operator' }, { role: 'read-only' }],
    accounts: [{ accountId: 'account-1' }],
    companies: [{ name: 'Calloway Freight' }],
    deleted: false,
    sso: LOGINS,
  });
  expect(
    await errors('companies/veeam-1/users-to-notify', {
      users: [{ _id: 'text', name: 'text', email: 'text' }],
    }),
  ).toEqual([]);
  expect(await list(`monitoring/reporting/users/logs?user=${mae}`)).not.toEqual([]);
  const leo = await portal.join('leo', ['read-only']);
  await good('POST', `users/${leo}/accounts/account-2`, {});
  await good('DELETE', `users/${leo}/accounts/account-2`);
  await good('DELETE', `users/${leo}`);
  expect(await list('monitoring/reporting/users?deleted=only')).toMatchObject([
    { _id: leo, deleted: true, accounts: [] },
  ]);
  await good('DELETE', `users/delete/${leo}`);
});

test('ROW-1, ROW-2: companies have their IDs in other systems, users and veeamId, and are changed and deleted by `_id`', async () => {
  const made = await good('POST', 'companies', { name: 'Drummond & Pike' });
  const id = named(made, '_id');
  for (const path of ['companies', 'monitoring/reporting/companies'])
    expect([path, getErrors([await list(path)], [COMPANY])]).toEqual([path, []]);
  const [first] = await list('companies');
  for (const [ids, found] of [
    [[named(first, '_id')], true],
    [[1], true],
    [[named(first, '_id'), id], true],
    [[id], false],
    [['no company'], false],
    [[portal.tenant], false],
  ] as const) {
    const query = `filters=${encodeURIComponent(JSON.stringify({ companyIds: ids }))}`;
    for (const path of ['jobs', 'jobs-name', 'jobs/didnt-run'])
      expect([ids, path, (await list(`monitoring/reporting/${path}?${query}`)).length > 0]).toEqual(
        [ids, path, found],
      );
  }
  expect(
    await errors(`companies/${named(first, '_id')}`, {
      _id: 'text',
      name: 'text',
      veeamId: 'text',
      applications: COMPANY['applications'] ?? 'text',
    }),
  ).toEqual([]);
  expect(
    await good('PUT', `companies/${id}`, { name: 'Drummond', applications: APPLICATIONS }),
  ).toMatchObject({ applications: APPLICATIONS });
  await good('DELETE', `companies/${id}`);
});
