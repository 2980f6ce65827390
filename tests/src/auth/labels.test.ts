import { expect, test } from 'vitest';
import type { Failure } from '#contract/errors.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { beganBy, getDevice } from '#src/features/shared/device-labels.ts';
import {
  getMinimumLength,
  passwordRefusal,
  listPasswordRules,
} from '#src/features/auth/security/password-labels.ts';

const none: Parameters<typeof getMinimumLength>[0] = {
  policy: 'own',
  totp: null,
  passkeys: [],
  sms: false,
};

test('OWN-4: the minimum length of a password is shorter with a second factor', () => {
  expect(getMinimumLength(none)).toBe(15);
  const more: readonly Partial<typeof none>[] = [
    { policy: 'sms' },
    { policy: 'strong' },
    { totp: { since: 1 } },
    { passkeys: [{ key: 'k', name: 'n', madeAt: 1, usedAt: null }] },
    { sms: true },
  ];
  for (const one of more) expect(getMinimumLength({ ...none, ...one })).toBe(8);
  expect(listPasswordRules('db', 15)[0]).toContain(
    'At least 15 characters, or 8 with two-factor authentication.',
  );
  expect(listPasswordRules('db', 8)[0]).toMatch(/^At least 8 characters\. /);
  expect(listPasswordRules('ad', 15).join(' ')).not.toContain('15');
});

const wrong = (message: string): Failure => ({ kind: 'wrong-credentials', message });

test("OWN-4: a refused password is reported with the catalog's sentence, at its field", () => {
  expect(passwordRefusal(wrong('0000052D: SvcErr: WILL_NOT_PERFORM'), 'ad', 'f')).toEqual({
    at: 'next',
    sentence: 'Password chosen failed to meet any or all of the requirements stated.',
  });
  expect(passwordRefusal(wrong('The directory says no'), 'ad', 'f')).toEqual({
    at: 'current',
    sentence: 'The directory says no',
  });
  expect(passwordRefusal(wrong('anything'), 'db', 'f')).toEqual({
    at: 'current',
    sentence: 'The current password is not valid.',
  });
  expect(
    passwordRefusal(
      {
        kind: 'bad-input',
        message: ACCOUNT.passwordCommon,
        issues: [{ path: 'newPassword', message: ACCOUNT.passwordCommon }],
      },
      'db',
      'f',
    ),
  ).toEqual({ at: 'next', sentence: ACCOUNT.passwordCommon });
  for (const kind of ['server-error', 'not-found', 'conflict'] as const)
    expect(passwordRefusal({ kind, message: 'x' }, 'db', ACCOUNT.changePassword)).toEqual({
      at: null,
      sentence: 'Sorry, change password failed.',
    });
  expect(passwordRefusal({ kind: 'needs-network', message: 'net' }, 'db', 'f')).toEqual({
    at: null,
    sentence: 'net',
  });
});

test('OWN-6: a device is named by browser and system, and a session by how it started', () => {
  const mozilla = 'Mozilla/5.0';
  const like = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  expect(
    [
      `${mozilla} (Windows NT 10.0; Win64; x64) ${like} Chrome/138.0.0.0 Safari/537.36`,
      `${mozilla} (Windows NT 10.0; Win64; x64) ${like} Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0`,
      `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15`,
      `${mozilla} (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/138.0 Mobile/15E148 Safari/604.1`,
      `${mozilla} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`,
      `${mozilla} (Linux; Android 15) ${like} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
      'curl/8.5.0',
      '',
    ].map(getDevice),
  ).toEqual([
    'Chrome on Windows',
    'Edge on Windows',
    'Safari on macOS',
    'Chrome on iPhone',
    'Firefox on Linux',
    'Samsung Internet on Android',
    'curl',
    'Unknown device',
  ]);
  expect([beganBy('passkey'), beganBy('login-as'), beganBy('something new')]).toEqual([
    'with a passkey',
    'by an administrator',
    'signed in',
  ]);
});
