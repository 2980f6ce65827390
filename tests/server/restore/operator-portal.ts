import { createDemoTenant, type DemoTenant } from '#server/demo/tenant/tenant.ts';
import { organization } from '../backup/fixtures.ts';
import { ask, makeFixture, type Fixture } from '../http/fixtures.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';

const ROLES = ['User.Read.All', 'Group.Read.All', 'Organization.Read.All'];

export interface Portal {
  readonly ground: Fixture;
  readonly office: Office;
  readonly tenant: DemoTenant;
  readonly admin: Asker;
  readonly organization: string;
  /** The people of the tenant. */
  readonly people: readonly {
    readonly id: string;
    readonly name: string;
    readonly address: string;
  }[];
}

/** A portal with an organization whose tenant answers. */
export async function aPortal(open: Awaited<Parameters<typeof makeFixture>[1]>): Promise<Portal> {
  const fixture = await makeFixture({}, open);
  const { context } = fixture;
  const tenant = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: { people: 4, minMails: 1, maxMails: 1, minFiles: 1, maxFiles: 1, maxFileBytes: 100 },
  });
  context.cloud.connectTo((request) => tenant.fetch(request));
  const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
  const office = await anOffice(fixture);
  const admin = await office.as('admin', ['o365_admin']);
  const { body } = await admin<{ id: string }>(
    'POST',
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
  const { id } = body.data;
  const people = await admin<{ rows: Portal['people'] }>('GET', `o365/organizations/${id}/users`);
  return {
    ground: fixture,
    office,
    tenant,
    admin,
    organization: id,
    people: people.body.data.rows,
  };
}

export const post = <T>({ office }: Portal, path: string, cookies: readonly string[] = []) =>
  ask<T>(office.app, `/api/v1/${path}`, {
    method: 'POST',
    host: office.host,
    body: {},
    ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
  });

export const countUsers = ({ ground: { context }, office }: Portal): Promise<number> =>
  context.store.tenant(office.tenant, async (tx) => (await tx.all('user')).length);

export const ROLE = {
  name: 'Reception',
  roleType: 'EntireOrganization',
  selectedItems: [],
  excludedItems: [],
};
