import { expect, test } from 'vitest';
import { PLAIN_BRANDING } from '#contract/branding/branding.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { getLoop, scene } from '#tests/workers/scene.ts';

test('BRAND-9: a changed branding or time zone reaches a signed-in device with its next token, and unchanged ones load nothing', async () => {
  const { clock, server, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(5_000);
  const before = api.session.who;
  if (before.kind !== 'in') throw new Error('nobody is in');
  let branding: Branding = { ...PLAIN_BRANDING, ...before.branding };
  let begun = 0;
  const handle = server.handle.bind(server);
  server.handle = async (request, cookie) => {
    if (request.url.includes('sync/bootstrap')) {
      begun += 1;
      const whole = (await (await handle(request, cookie)).json()) as { data: object };
      return Response.json({ success: true, data: { ...whole.data, branding } });
    }
    return request.url.endsWith('service-providers/branding')
      ? Response.json({ success: true, data: branding })
      : handle(request, cookie);
  };
  const shown = () =>
    api.session.who.kind === 'in'
      ? { title: api.session.who.branding.title, zone: api.session.who.branding.timeZone }
      : null;
  await clock.pass(11 * 60_000);
  expect([shown()?.title, begun]).toEqual([before.branding.title, 0]);
  branding = { ...branding, title: 'Harbour', timeZone: 'Pacific/Auckland' };
  await clock.pass(11 * 60_000);
  expect([shown(), begun]).toEqual([{ title: 'Harbour', zone: 'Pacific/Auckland' }, 1]);
  expect(getLoop(api).status().kind).toBe('live');
  await clock.pass(11 * 60_000);
  expect(begun).toBe(1);
  getLoop(api).stop();
});

test("BRAND-12: all calls go to the page's own address, whatever API address the branding names", async () => {
  const { clock, server, annDevice, bad } = scene();
  const query: string[] = [];
  const elsewhere = 'https://api.elsewhere.example/v2';
  const handle = server.handle.bind(server);
  server.handle = async (request, cookie) => {
    query.push(request.url);
    const answer = await handle(request, cookie);
    if (!/sync\/bootstrap|service-providers\/branding/.test(request.url)) return answer;
    return new Response(
      (await answer.text()).replaceAll(/"apiUrl":"[^"]*"/g, `"apiUrl":"${elsewhere}"`),
      answer,
    );
  };
  const api = annDevice.open();
  await clock.pass(5_000);
  expect(api.session.who).toMatchObject({ kind: 'in', branding: { apiUrl: elsewhere } });
  await api.send('changeExecution', {
    id: String(bad()[0]),
    change: { kind: 'note', content: 'here' },
  });
  await clock.pass(12 * 60_000);
  expect(query.length).toBeGreaterThan(5);
  expect([...new Set(query.map((url) => new URL(url).origin))]).toEqual(['http://daybook.test']);
  getLoop(api).stop();
});
