import { ownAccountPageMessages as t } from './own-account-page.messages.en.ts';
/**
 * Returns the browser and system of a user agent: `Chrome on Windows`. Specific names are checked
 * first, because most browsers also name others.
 */
export function getDevice(agent: string): string {
  const browser = BROWSERS.find(([mark]) => mark.test(agent))?.[1] ?? null;
  const system = SYSTEMS.find(([mark]) => mark.test(agent))?.[1] ?? null;
  if (browser === null) return system ?? /^[\w.-]+/.exec(agent)?.[0] ?? t.unknownDevice;
  return system === null ? browser : t.deviceOn({ browser, system });
}

/** Returns how a session was started. */
export const beganBy = (how: string): string => WAYS[how] ?? t.bySignIn;

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, t.edge],
  [/OPR\/|Opera/, t.opera],
  [/SamsungBrowser\//, t.samsungInternet],
  [/Firefox\/|FxiOS\//, t.firefox],
  [/HeadlessChrome\/|Chrome\/|CriOS\//, t.chrome],
  [/Version\/.+Safari\//, t.safari],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, t.android],
  [/Windows/, t.windows],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, t.linux],
];
const WAYS: Readonly<Record<string, string>> = {
  'password': t.byPassword,
  'sms': t.bySms,
  'totp': t.byAuthenticator,
  'enrol': t.byNewAuthenticator,
  'passkey': t.byPasskey,
  'recovery': t.byRecoveryCode,
  'oidc': t.bySingleSignOn,
  'login-as': t.byAdministrator,
};
