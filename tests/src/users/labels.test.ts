import { expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import { deviceWords } from '#src/features/users/logs/device.ts';
import { ROLE_NAMES } from '#src/features/shared/role-names.ts';
import { companiesWords, rolesWords, getUserState } from '#src/features/users/labels.ts';

test('USER-11: an account shows its most important state, its roles and its companies', () => {
  const none = { deleted: false, invited: false, passwordReset: false, signedIn: false };
  expect(
    [
      { ...none, deleted: true, invited: true, signedIn: true },
      { ...none, invited: true, passwordReset: true },
      { ...none, passwordReset: true, signedIn: true },
      { ...none, signedIn: true },
      none,
    ].map((one) => getUserState(one).label),
  ).toEqual(['Deleted', 'Invited', 'Password change required', 'Signed in', 'Active']);
  expect(rolesWords([{ role: 'o365_admin' }, { role: 'sub-sp' }])).toBe(
    'Microsoft 365 administrator, Sub-provider',
  );
  expect(new Set(Object.values(ROLE_NAMES)).size).toBe(ROLES.length);
  expect([
    companiesWords(null),
    companiesWords([]),
    companiesWords([
      { n: 1, _id: 'a', name: 'One' },
      { n: 2, _id: 'b', name: 'Two' },
    ]),
  ]).toEqual(['All companies', 'No companies', 'One, Two']);
});

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
    'Samsung Internet on Android',
  ],
  ['curl/8.10.1', 'curl'],
  ['node', 'Script'],
  ['', 'Unknown device'],
  ['Veeam Agent', 'Veeam Agent'],
])('ULOG-1: a device is told in words: %s', (agent, words) => {
  expect(deviceWords(agent)).toBe(words);
});
