import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { PROTOCOL } from '#contract/limits.ts';
import { allHandlers } from '#server/handlers.ts';
import type { Fixture } from '../http/fixtures.ts';
import { getApp, makeFixture, provider, user } from '../http/fixtures.ts';
import { Browser } from '../auth/factor-fixtures.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
});

const DIRECTORY = {
  url: 'ldaps://dc.example',
  baseDn: 'DC=example',
  domain: 'example',
  serviceDn: 'CN=portal,DC=example',
  ca: null,
} as const;

test('BRAND-9, PAGE-6: the sign-in page, a new load of a device and the settings show the same sign-in method', async () => {
  const { host, tenant } = await provider(fixture);
  await user(fixture, tenant, { roles: ['super-admin'] });
  const kate = new Browser(getApp(fixture.context, allHandlers(fixture.context)), host);
  await kate.login();
  const loadBrandings = async () => [
    (await kate.get<OutputOf<'getBranding'>>('service-providers/branding')).body.data,
    (await kate.get<OutputOf<'bootstrap'>>(`sync/bootstrap?protocol=${PROTOCOL}`)).body.data
      .branding,
    (await kate.get<OutputOf<'getProviderBranding'>>(`service-providers/${tenant}/branding`)).body
      .data,
  ];
  expect((await loadBrandings()).map(({ authType }) => authType)).toEqual(['db', 'db', 'db']);
  expect(
    (
      await kate.send(
        `service-providers/${tenant}/settings`,
        { directory: DIRECTORY, securityQuestions: true },
        'PUT',
      )
    ).status,
  ).toBe(200);
  const [first, ...others] = await loadBrandings();
  expect(first).toMatchObject({ authType: 'ad', securityQuestions: true });
  for (const other of others) expect(other).toEqual(first);
  // A way to sign in that was shown is not written into the branding by changing another part of
  // it.
  expect(
    (await kate.send(`service-providers/${tenant}/branding`, { title: 'Harbour' }, 'PUT')).body
      .data,
  ).toMatchObject({ title: 'Harbour', authType: 'ad' });
  await kate.send(`service-providers/${tenant}/settings`, { directory: null }, 'PUT');
  expect((await loadBrandings()).map(({ authType, title }) => `${authType} ${title}`)).toEqual(
    Array.from({ length: 3 }, () => 'db Harbour'),
  );
});
