import { expect, test } from 'vitest';
import { aCloud } from './fixtures.ts';

test('GRAPH-14: groups have members, teams are groups, and both have sites with a library', async () => {
  const { all, one, call, tenant } = await aCloud();
  const groups = await all('group', '/groups');
  expect(groups).toHaveLength(4);
  const teams = await all(
    'group',
    "/groups?$filter=resourceProvisioningOptions/Any(x:x eq 'Team')",
  );
  expect(teams.map(({ id }) => id)).toEqual(
    groups
      .filter(({ resourceProvisioningOptions }) => resourceProvisioningOptions.includes('Team'))
      .map(({ id }) => id),
  );
  expect(teams.length).toBeGreaterThan(0);
  const unified = await all('group', "/groups?$filter=groupTypes/any(c:c eq 'Unified')&$select=id");
  expect(unified.length).toBe(groups.filter(({ mailEnabled }) => mailEnabled).length);
  const users = new Set(tenant.admin.listUsers().map(({ id }) => id));
  const members = await all('user', `/groups/${teams[0].id}/members?$top=2`);
  expect(members.length).toBeGreaterThan(0);
  for (const { id } of members) expect(users).toContain(id);
  const site = await one('site', `/groups/${teams[0].id}/sites/root`);
  const drive = await one('drive', `/groups/${teams[0].id}/drive`);
  expect(await all('drive', `/sites/${site.id}/drives`)).toMatchObject([
    { id: drive.id, driveType: 'documentLibrary' },
  ]);
  expect(await one('driveItem', `/sites/${site.id}/drive/root`)).toMatchObject({ root: {} });
  const security = groups.find(({ securityEnabled }) => securityEnabled);
  expect(await call(`/groups/${security.id}/drive`)).toMatchObject({ status: 404 });
});

test('GRAPH-14: sites are found by search, with the sites below them', async () => {
  const { all, one, call } = await aCloud();
  const sites = await all('site', '/sites?search=*');
  expect(sites.length).toBeGreaterThan(4);
  expect(await call('/sites')).toMatchObject({ status: 400 });
  const intranet = sites.find(({ displayName }) => displayName === 'Intranet');
  expect(await all('site', `/sites/${intranet.id}/sites`)).toMatchObject([
    { displayName: 'Handbook' },
  ]);
  expect(await one('site', '/sites/root')).toMatchObject({ webUrl: 'https://demo.sharepoint.com' });
  expect(await all('site', '/sites?search=hand')).toMatchObject([{ displayName: 'Handbook' }]);
});

test('GRAPH-14: ten thousand entries of the directory are made and listed in pages', async () => {
  const { all, page, tenant } = await aCloud({ size: { otherPeople: 10_000, groups: 300 } });
  const users = await all('user', '/users?$top=999&$select=id,displayName,mail');
  expect(users).toHaveLength(10_006);
  expect(new Set(users.map(({ mail }) => mail)).size).toBeGreaterThan(10_000);
  expect(await all('group', '/groups?$top=100')).toHaveLength(300);
  const found = await page('user', '/users?$search="displayName:brandt"&$count=true', {
    consistencylevel: 'eventual',
  });
  expect(found.body['@odata.count']).toBe(
    tenant.admin.listUsers().filter(({ name }) => name.toLowerCase().includes('brandt')).length,
  );
  const late = tenant.admin.listUsers().at(-1);
  expect(
    (await page('mailFolder', `/users/${late?.id}/mailFolders`)).body.value.length,
  ).toBeGreaterThan(5);
});
