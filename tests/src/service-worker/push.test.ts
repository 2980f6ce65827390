import { expect, test } from 'vitest';
import { openWindow, parsePush } from '#src/service-worker/push.ts';

const TEXTS = { title: 'Sicherungen', body: 'Es gibt Neues im Portal.' };

test('NOTIFY-5: a push message is shown, even if unreadable, and a click leads to a page of this portal and nowhere else', () => {
  const said = {
    title: 'Harbour',
    body: '2 jobs failed',
    link: '/monitoring/daily-checks?state=Failed,Error',
    tag: 'failed',
  };
  expect(parsePush(JSON.stringify(said), TEXTS)).toEqual(said);
  for (const text of [undefined, '', 'no JSON', 'null', '[]', '{"title":7}'])
    expect(parsePush(text, TEXTS)).toEqual({
      ...TEXTS,
      link: '/monitoring/daily-checks',
      tag: 'news',
    });
  for (const link of [
    'https://elsewhere.example/monitoring/x',
    '//elsewhere.example/monitoring/x',
    'javascript:alert(1)',
    '/api/v1/auth/logout',
    '/monitoring/\\elsewhere',
    '/monitoring//elsewhere',
    7,
  ]) {
    expect(parsePush(JSON.stringify({ ...said, link }), TEXTS).link).toBe(
      '/monitoring/daily-checks',
    );
  }
});

test('NOTIFY-5: a window that shows it already is focused; otherwise another is opened, and no open one navigates away', async () => {
  const did: string[] = [];
  const windows = [
    'https://portal.example/monitoring/sla',
    'https://portal.example/monitoring/profile',
  ].map((url) => ({
    url,
    focus: async () => {
      did.push(`focus ${url}`);
    },
  }));
  const clients = {
    matchAll: async () => windows,
    openWindow: async (url: string) => {
      did.push(`open ${url}`);
      return null;
    },
  };
  await openWindow(clients, '/monitoring/sla', 'https://portal.example');
  await openWindow(clients, '/monitoring/tickets?ticket=1', 'https://portal.example');
  expect(did).toEqual([
    'focus https://portal.example/monitoring/sla',
    'open https://portal.example/monitoring/tickets?ticket=1',
  ]);
});
