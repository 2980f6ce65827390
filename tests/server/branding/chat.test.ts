import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import { chatRoutes } from '#server/features/branding/chat.ts';
import { brandEditHandlers } from '#server/features/branding/edit.ts';
import type { Fixture } from '../http/fixtures.ts';
import { getApp, ask, makeFixture } from '../http/fixtures.ts';
import { thePeople } from '../users/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';

let fixture: Fixture;
const SCRIPT = 'https://js.chat.example/widget.js?id=1&v=2';

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('BRAND-10: the frame of a chat has a policy of its own, for its script and hosts and nothing of the portal, and no origin', async () => {
    const { root, tenant, host } = await thePeople(fixture);
    const other = await thePeople(fixture);
    const app = getApp(fixture.context, brandEditHandlers(fixture.context), {
      routes: chatRoutes(fixture.context),
    });
    const set = (chat: unknown) =>
      root('PUT', `service-providers/${tenant}/branding`, {
        features: { ...PLAIN_FEATURES, chat },
      });
    expect((await ask(app, '/chat', { host })).status).toBe(404);
    expect((await set({ script: SCRIPT, hosts: ['*.chat.example', 'cdn.example'] })).status).toBe(
      200,
    );
    const sent = await ask(app, '/chat', { host });
    const policy = sent.headers.get('content-security-policy') ?? '';
    const parts = new Map(
      policy
        .split('; ')
        .map((one): [string, string] => [one.split(' ')[0] ?? '', one.slice(one.indexOf(' ') + 1)]),
    );
    const inline = /<body>.*<script>(.*)<\/script>/s.exec(sent.text)?.[1] ?? '';
    expect(parts.get('script-src')).toBe(
      `'sha256-${createHash('sha256').update(inline).digest('base64')}' https://js.chat.example https://*.chat.example https://cdn.example`,
    );
    expect([
      parts.get('default-src'),
      parts.get('frame-ancestors'),
      parts.get('base-uri'),
      parts.get('form-action'),
    ]).toEqual(["'none'", "'self'", "'none'", "'none'"]);
    expect(parts.get('sandbox')?.split(' ')).toEqual([
      'allow-scripts',
      'allow-forms',
      'allow-popups',
    ]);
    for (const [name, value] of parts)
      if (name.endsWith('-src'))
        expect([name, value]).not.toEqual([
          name,
          expect.stringMatching(/(^| )(\*|'self'|'unsafe-eval'|https:)( |$)/),
        ]);
    expect([sent.headers.get('x-frame-options'), sent.headers.get('cache-control')]).toEqual([
      'SAMEORIGIN',
      'no-store',
    ]);
    expect(sent.text).toContain(`data-script="${SCRIPT.replace('&', '&amp;')}"`);
    expect((await ask(app, '/chat', { host: other.host })).status, 'each portal has its own').toBe(
      404,
    );
    expect((await set(null)).status).toBe(200);
    expect((await ask(app, '/chat', { host })).status).toBe(404);
  });

  test('BRAND-10: only https scripts of the internet and host names are accepted, so that none can end a line of a policy', async () => {
    const { root, tenant } = await thePeople(fixture);
    const set = async (chat: unknown): Promise<number> =>
      (
        await root('PUT', `service-providers/${tenant}/branding`, {
          features: { ...PLAIN_FEATURES, chat },
        })
      ).status;
    for (const script of [
      'http://js.chat.example/w.js',
      'https://js.chat.example',
      'https://localhost/w.js',
      'https://127.0.0.1/w.js',
      'https://a@js.chat.example/w.js',
      'https://js.chat.example/w.js; script-src *',
      'https://js.chat.example/"onload=x',
      "https://js.chat.example/'",
      'https://js.chat.example/\n',
      '/w.js',
      'javascript:alert(1)',
      'data:text/javascript,1',
      '',
    ]) {
      expect([script, await set({ script })]).toEqual([script, 400]);
    }
    for (const one of [
      '*',
      '*.example; script-src *',
      "'unsafe-inline'",
      'https://cdn.example',
      'localhost',
      'cdn',
      'a.*.example',
      '*.*.example',
      'cdn.example/path',
      '',
    ])
      expect([one, await set({ script: SCRIPT, hosts: [one] })]).toEqual([one, 400]);
    expect(await set({ script: SCRIPT, hosts: ['*.chat.example', 'a-b.c9.example'] })).toBe(200);
  });
});
