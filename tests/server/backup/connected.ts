import { createDemoTenant, type DemoTenant } from '#server/demo/tenant/tenant.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import { organization } from './fixtures.ts';

export const ROLES = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'Files.Read.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];
export const SIZE = {
  people: 2,
  minMails: 3,
  maxMails: 5,
  minFiles: 1,
  maxFiles: 2,
  maxFileBytes: 5_000,
};
type Office = Awaited<ReturnType<typeof anOffice>>;
export type Caller = Awaited<ReturnType<Office['as']>>;

/** A provider that has connected a tenant of Microsoft 365. */
export async function connect(fixture: Fixture, tenant: DemoTenant) {
  const { context } = fixture;
  context.cloud.connectTo((request) => tenant.fetch(request));
  const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
  const office = await anOffice(fixture);
  const admin = await office.as('admin', ['o365_admin']);
  const made = await create(
    admin,
    'o365/organizations',
    organization(1, {
      authType: 'modernLegacy',
      userCode: undefined,
      exchangeOnlineSettings: {
        applicationId: appId,
        applicationSecret: secret,
        officeOrganizationName: tenant.domain,
      },
    }),
  );
  return { office, admin, organization: made, appId };
}

/** Returns the id of what a call created. */
export const create = async (as: Caller, path: string, body: object): Promise<string> =>
  (await as<{ id: string }>('POST', path, body)).body.data.id;

/** A small tenant of Microsoft 365 by the server's clock. */
export const makeTenant = (fixture: Fixture, seed: number): DemoTenant =>
  createDemoTenant({ file: null, seed, now: () => fixture.context.clock.now(), size: SIZE });
