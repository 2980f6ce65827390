import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { makeFakeClient } from '#tests/playground/fake-client.ts';
import { getScene } from '#tests/playground/scene.ts';

type Out = Result<{ readonly out: boolean; readonly unsent: number }>;
const stored = new Map<string, string>();
beforeEach(() => {
  vi.resetModules(); // each test is a page load of its own
  stored.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => {
      stored.set(key, value);
    },
    removeItem: (key: string) => {
      stored.delete(key);
    },
  });
  vi.stubGlobal('navigator', { onLine: true });
});
afterEach(() => vi.unstubAllGlobals());

/**
 * A page load in which somebody is in or not, and `unsent` changes wait that the server takes or
 * not.
 */
async function load(
  who: 'in' | 'out',
  path = '/monitoring/daily-checks',
  unsent = 0,
  sends = true,
): Promise<{ readonly asked: readonly string[]; readonly sentence: string | null }> {
  const { setClient: setFakeClient } = await import('#src/app/worker/worker-client.ts');
  const { checkAppVersion } = await import('#src/app/session/app-version.ts');
  const { wayIn } = await import('#src/app/session/sign-in-context.ts');
  const request: string[] = [];
  const { client } = makeFakeClient({ ...getScene(null), who });
  const signOut = (how: string): Promise<Out> => {
    request.push(how);
    return Promise.resolve(
      ok(
        how === 'send' && unsent > 0 && !sends ? { out: false, unsent } : { out: true, unsent: 0 },
      ),
    );
  };
  setFakeClient({ ...client, signOut });
  await checkAppVersion(path);
  await checkAppVersion(path);
  return { asked: request, sentence: wayIn().sentence };
}

test('VERSION-1: a signed-in user is logged out once, with the reason, if the browser last started another version', async () => {
  stored.set('appVersion', '2.2.13');
  stored.set('ssoClicks', '{"user":"u1","clicks":{"vac":3}}');
  stored.set('impersonatedFrom', '/monitoring/users');
  stored.set('wizardPromptDismissed', 'u1');
  expect(await load('in')).toEqual({
    asked: ['send'],
    sentence: 'The portal was updated. Sign in again to continue. Your unsent changes are saved.',
  });
  // Section 4: what logging out clears.
  expect(Object.fromEntries(stored)).toEqual({ appVersion: '2.2.14' });
  vi.resetModules();
  expect(await load('in')).toEqual({ asked: [], sentence: null });
});

test('VERSION-1, OUT-7: unsent changes are kept, never discarded', async () => {
  stored.set('appVersion', '3.0.0');
  expect((await load('in', '/', 4, false)).asked).toEqual(['send', 'keep']);
});

test('VERSION-1: the same version, a first start and nobody in log nobody out; provisioning and e-mail verification skip the check', async () => {
  expect((await load('in')).asked).toEqual([]);
  expect(stored.get('appVersion')).toBe('2.2.14');
  stored.set('appVersion', '2.2.13');
  for (const path of [
    '/o365/register',
    '/o365/register/',
    '/o365/register/u1',
    '/o365/register/token',
  ]) {
    vi.resetModules();
    expect([path, (await load('in', path)).asked, stored.get('appVersion')]).toEqual([
      path,
      [],
      '2.2.13',
    ]);
  }
  vi.resetModules();
  expect((await load('out', '/login')).asked).toEqual([]);
  expect(stored.get('appVersion')).toBe('2.2.14');
});

test("VERSION-1: offline, nobody is logged out who couldn't log in again; the check runs when the network is back", async () => {
  stored.set('appVersion', '2.2.13');
  const waiting: (() => void)[] = [];
  const line = { onLine: false };
  vi.stubGlobal('navigator', line);
  vi.stubGlobal('addEventListener', (name: string, listener: () => void) => {
    if (name === 'online') waiting.push(listener);
  });
  const { asked: request } = await load('in');
  expect([request, stored.get('appVersion')]).toEqual([[], '2.2.13']);
  line.onLine = true;
  waiting.forEach((listener) => listener());
  await vi.waitFor(() => expect([request, stored.get('appVersion')]).toEqual([['send'], '2.2.14']));
});
