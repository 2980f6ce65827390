/**
 * What a browser says that it is, in words: `Chrome on Windows`. The more particular names come
 * first: most browsers claim to be the others as well.
 */
export function deviceOf(agent: string): string {
  const browser = BROWSERS.find(([mark]) => mark.test(agent))?.[1] ?? null;
  const system = SYSTEMS.find(([mark]) => mark.test(agent))?.[1] ?? null;
  if (browser === null) return system ?? /^[\w.-]+/.exec(agent)?.[0] ?? 'Unknown device';
  return system === null ? browser : `${browser} on ${system}`;
}

/** By what a session began. */
export const beganBy = (how: string): string => WAYS[how] ?? 'signed in';

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\/|Chrome\/|CriOS\//, 'Chrome'],
  [/Version\/.+Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];
const WAYS: Readonly<Record<string, string>> = {
  'password': 'with the password',
  'sms': 'with the password and a code by SMS',
  'totp': 'with the password and an authenticator',
  'enrol': 'with the password and a new authenticator',
  'passkey': 'with a passkey',
  'recovery': 'with a recovery code',
  'oidc': 'by single sign-on',
  'login-as': 'by an administrator',
};
