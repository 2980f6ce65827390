import { expect, test } from 'vitest';
import { aCloud, byText } from './fixtures.ts';

test('GRAPH-2: users are listed in pages, found by filter and counted', async () => {
  const { page, all, call, one, tenant } = await aCloud({ size: { otherPeople: 150 } });
  const first = await page('user', '/users');
  expect(first.body.value).toHaveLength(100);
  expect(first.body['@odata.nextLink']).toMatch(/^https:\/\/graph\.microsoft\.com\/v1\.0\/users\?/);
  const everyone = await all('user', '/users?$top=40&$select=id,displayName,mail,accountEnabled');
  expect(everyone).toHaveLength(156);
  expect(new Set(everyone.map(({ id }) => id)).size).toBe(156);
  expect(Object.keys(everyone[0]).toSorted(byText)).toEqual([
    'accountEnabled',
    'displayName',
    'id',
    'mail',
  ]);
  const [ada] = tenant.admin.listUsers();
  const found = await all('user', `/users?$filter=userPrincipalName eq '${ada?.upn}'`);
  expect(found.map(({ id }) => id)).toEqual([ada?.id]);
  const start = ada?.name.slice(0, 3) ?? '';
  const starting = await all('user', `/users?$filter=startswith(displayName,'${start}')&$top=999`);
  expect(starting.map(({ id }) => id).toSorted(byText)).toEqual(
    tenant.admin
      .listUsers()
      .filter(({ name }) => name.startsWith(start))
      .map(({ id }) => id)
      .toSorted(byText),
  );
  expect(await call('/users?$count=true')).toMatchObject({
    status: 400,
    body: { error: { code: 'Request_UnsupportedQuery' } },
  });
  const counted = await page('user', '/users?$count=true&$top=5', { consistencylevel: 'eventual' });
  expect(counted.body['@odata.count']).toBe(156);
  expect(await call('/users?$top=1000')).toMatchObject({ status: 400 });
  expect(await call('/users?$select=shoeSize')).toMatchObject({ status: 400 });
  expect(
    await one('user', `/users/${ada?.upn}?$select=assignedLicenses,assignedPlans`),
  ).toMatchObject({
    id: ada?.id,
    assignedLicenses: [{ skuId: '3b555118-da6a-4418-894f-7df1e2096870' }],
  });
  expect(await call('/users/nobody@example.com')).toMatchObject({
    status: 404,
    body: { error: { code: 'Request_ResourceNotFound' } },
  });
});

test('GRAPH-2: organization, licenses and the purpose of a mailbox', async () => {
  const { page, one, call, tenant } = await aCloud();
  const { body } = await page('organization', '/organization');
  expect(body.value).toMatchObject([{ id: tenant.id, verifiedDomains: [{ isDefault: true }] }]);
  const skus = await page('subscribedSku', '/subscribedSkus');
  expect(skus.body.value[0].consumedUnits).toBe(
    tenant.admin.listUsers().filter(({ licensed }) => licensed).length,
  );
  const kinds: Record<string, unknown> = {};
  for (const { id, mailbox } of tenant.admin.listUsers()) {
    const answer = await call(`/users/${id}/mailboxSettings`);
    kinds[mailbox] = answer.status === 200 ? answer.body.userPurpose : answer.body.error.code;
    if (answer.status === 200) await one('mailboxSettings', `/users/${id}/mailboxSettings`);
  }
  expect(kinds).toEqual({
    user: 'user',
    shared: 'shared',
    none: 'MailboxNotEnabledForRESTAPI',
    inactive: 'MailboxNotEnabledForRESTAPI',
  });
});

test('GRAPH-2: what nobody has consented to is refused', async () => {
  const { call, tenant, client } = await aCloud({ roles: ['User.Read.All'] });
  const [user] = tenant.admin.listUsers();
  expect(await call('/users')).toMatchObject({ status: 200 });
  expect(await call('/subscribedSkus')).toMatchObject({
    status: 403,
    body: { error: { code: 'Authorization_RequestDenied' } },
  });
  expect(await call(`/users/${user?.id}/mailFolders`)).toMatchObject({
    status: 403,
    body: { error: { code: 'ErrorAccessDenied' } },
  });
  expect(await call(`/users/${user?.id}/drive`)).toMatchObject({
    status: 403,
    body: { error: { code: 'accessDenied' } },
  });
  for (const authorization of ['', 'Bearer x', 'Bearer a.b.c'])
    expect(await call('/users', { headers: { authorization } })).toMatchObject({
      status: 401,
      body: { error: { code: 'InvalidAuthenticationToken' } },
    });
  expect(tenant.admin.findApplication(client.appId)?.roles).toEqual(['User.Read.All']);
});

test('GRAPH-3: changed users arrive by delta, and a token of eight days has expired', async () => {
  const { tenant, clock, page, call } = await aCloud();
  const round = async (path: string) => {
    const seen: string[] = [];
    for (let next = path; ;) {
      const { body } = await page('user', next, { prefer: 'odata.maxpagesize=2' });
      for (const user of body.value) seen.push(`${user['@removed'] ? '-' : '+'}${user.id}`);
      if (body['@odata.deltaLink']) return { seen, link: body['@odata.deltaLink'] as string };
      next = body['@odata.nextLink'];
    }
  };
  const first = await round('/users/delta?$select=displayName,mail');
  expect(first.seen).toHaveLength(6);
  expect((await round(first.link)).seen).toEqual([]);
  const [gone] = tenant.admin.listUsers();
  tenant.admin.removeUser(gone?.id ?? '');
  const joined = tenant.admin.addUser();
  const second = await round(first.link);
  expect(second.seen).toEqual([`-${gone?.id}`, `+${joined.id}`]);
  const latest = await page('user', '/users/delta?$deltatoken=latest');
  expect(latest.body.value).toEqual([]);
  expect((await round(latest.body['@odata.deltaLink'])).seen).toEqual([]);
  clock.now += 8 * 86_400_000;
  const expired = await call(second.link);
  expect(expired).toMatchObject({ status: 410, body: { error: { code: 'syncStateNotFound' } } });
  expect(expired.headers.get('location')).toBe(
    'https://graph.microsoft.com/v1.0/users/delta?$deltatoken=',
  );
  expect((await round(expired.headers.get('location') ?? '')).seen).toHaveLength(6);
});
