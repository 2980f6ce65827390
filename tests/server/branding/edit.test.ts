import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { ASSET_BYTES } from '#contract/branding/edit-calls.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { MESSAGES } from '#contract/messages.ts';
import { assetRoutes } from '#server/features/branding/assets.ts';
import { brandEditHandlers } from '#server/features/branding/edit.ts';
import { getApp, ask, makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { said, thePeople } from '../users/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';

let fixture: Fixture;
const NOT_FOUND = [404, 'not-found', MESSAGES.notFound];
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
const of = (text: string): string => Buffer.from(text).toString('base64');
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><script>alert(1)</script><path d="M0 0h4"/></svg>';
type Put = OutputOf<'putBrandAsset'>;

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('BRAND-4, BRAND-11, LANG-3: only sent fields of a branding change, everybody gets it immediately, and only its look can be written', async () => {
    const { root, tenant, host, app, recorded } = await thePeople(fixture);
    const before = (await ask<Branding>(app, '/api/v1/service-providers/branding', { host })).body
      .data;
    const fields = {
      title: 'Mist',
      accent: '#0A64C8',
      sidebar: 'Blue',
      sidebarDark: '#101825',
      sidebarLogoUrl: 'https://cdn.example/logo.svg',
      supportEmail: 'help@example.net',
      timeZone: 'Europe/Zurich',
      language: 'en-XA',
      features: { ...before.features, rules: true },
    };
    expect(
      (await root<Branding>('PUT', `service-providers/${tenant}/branding`, fields)).status,
    ).toBe(200);
    expect(
      (await ask<Branding>(app, '/api/v1/service-providers/branding', { host })).body.data,
    ).toEqual({ ...before, ...fields, accent: '#0a64c8', sidebar: 'blue' });
    expect((await recorded()).map(({ what }) => what)).toContain('branding.changed');
    for (const bad of [
      { accent: 'red' },
      { accent: 'blue' },
      { sidebar: 'red' },
      { accent: '#0a64c8;}' },
      { sidebarLogoUrl: 'javascript:alert(1)' },
      { sidebarLogoUrl: 'https://user:pass@cdn.example/x' },
      { favIconUrl: '//evil.example/x' },
      { favIconUrl: 'data:image/png,x' },
      { supportEmail: 'nobody' },
      { supportPhone: 'tel:1' },
      { timeZone: 'Mars/Olympus' },
      { language: 'de' },
      { language: 'constructor' },
      { language: 'en\nX' },
      { language: ['en'] },
      { dayBeginsHour: 24 },
      { sidebarLogoWidth: 4_000 },
      { title: '' },
      { id: 'x' },
      { domain: 'other.example' },
      { apiUrl: 'https://evil.example' },
      { authType: 'ad' },
      { oidc: 'x' },
      { features: { ...before.features, everything: true } },
      { features: { ...before.features, chat: { url: 'javascript:alert(1)' } } },
    ])
      expect([
        bad,
        (await root('PUT', `service-providers/${tenant}/branding`, bad)).status,
      ]).toEqual([bad, 400]);
  });

  test("BRAND-4, T2: the branding of another provider doesn't exist, and a user with only some companies edits none", async () => {
    const here = await thePeople(fixture);
    const there = await thePeople(fixture);
    const calls = [
      ['GET', 'branding', undefined],
      ['PUT', 'branding', { title: 'Mine' }],
      ['POST', 'assets', { name: 'logo', type: 'image/png', base64: PNG }],
    ] as const;
    const part = await here.as('part', ['super-admin'], [1]);
    const admin = await here.as('plain', ['admin']);
    for (const [method, what, body] of calls) {
      for (const id of [there.tenant, '00000000-0000-4000-8000-000000000000', 'none'])
        expect(said(await here.root(method, `service-providers/${id}/${what}`, body))).toEqual(
          NOT_FOUND,
        );
      expect(said(await part(method, `service-providers/${here.tenant}/${what}`, body))).toEqual(
        NOT_FOUND,
      );
      expect((await admin(method, `service-providers/${here.tenant}/${what}`, body)).status).toBe(
        403,
      );
    }
  });

  test('BRAND-5: an image is stored by its actual type, served permanently under the hash of its bytes, without anything that runs', async () => {
    const { root, tenant, host } = await thePeople(fixture);
    const app = getApp(fixture.context, brandEditHandlers(fixture.context), {
      routes: assetRoutes(fixture.context),
    });
    const get = (url: string, headers: Record<string, string> = {}, at = host): Promise<Answer> =>
      ask(app, url, { host: at, headers });
    const put = (name: string, type: string, base64: string): Promise<Answer<Put>> =>
      root<Put>('POST', `service-providers/${tenant}/assets`, { name, type, base64 });
    const logo = await put('logo', 'image/svg+xml', of(SVG));
    expect(logo.body.data).toMatchObject({
      url: expect.stringMatching(/^\/brand\/logo\?v=[\w-]{22}$/),
      changed: true,
    });
    const { url } = logo.body.data;
    const sent = await get(url);
    expect([
      sent.status,
      sent.headers.get('content-type'),
      sent.headers.get('cache-control'),
      sent.headers.get('x-content-type-options'),
    ]).toEqual([200, 'image/svg+xml', 'public, max-age=31536000, immutable', 'nosniff']);
    expect(sent.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    );
    expect(sent.text).toContain('M0 0h4');
    expect(sent.text).not.toContain('script');
    expect((await get('/brand/logo?v=other')).headers.get('cache-control')).toBe('no-cache');
    expect((await get(url, { 'if-none-match': sent.headers.get('etag') ?? '' })).status).toBe(304);
    expect(
      (await root<Branding>('GET', `service-providers/${tenant}/branding`)).body.data
        .sidebarLogoUrl,
    ).toBe(url);
    expect((await put('favicon', 'image/png', PNG)).body.data.changed).toBe(false);
    expect((await get('/brand/favicon')).headers.get('content-type')).toBe('image/png');
    const other = await thePeople(fixture);
    expect([
      (await get('/brand/logo', {}, other.host)).status,
      (await get('/brand/..%2Fsecret')).status,
      (await get('/brand/none')).status,
    ]).toEqual([404, 404, 404]);
    for (const [type, base64] of [
      ['image/png', of('GIF89a')],
      ['image/jpeg', PNG],
      ['image/webp', PNG],
      ['image/x-icon', PNG],
      ['image/svg+xml', of('<html/>')],
      ['image/svg+xml', PNG],
      ['text/html', PNG],
      ['image/png', '***'],
    ] as const) {
      expect([type, (await put('logo', type, base64)).status]).toEqual([type, 400]);
    }
    expect((await put('other', 'image/png', PNG)).status).toBe(400);
    expect([400, 413]).toContain(
      (
        await put(
          'logo',
          'image/png',
          Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(ASSET_BYTES)]).toString('base64'),
        )
      ).status,
    );
  });
});
