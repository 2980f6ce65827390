import { userLogMessages as t } from './messages.en.ts';
/**
 * Browsers by a token that only they send. The order matters, because most user agents also contain
 * the tokens of others.
 */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, t.edge],
  [/\bOPR\/|\bOpera\b/, t.opera],
  [/\bVivaldi\//, t.vivaldi],
  [/\bSamsungBrowser\//, t.samsungInternet],
  [/\bFirefox\/|\bFxiOS\//, t.firefox],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, t.chrome],
  [/\bVersion\/[\d.]+.*\bSafari\//, t.safari],
  [/\bcurl\//, 'curl'],
  [/\bPowerShell\//, 'PowerShell'],
  [/\bpython|\bnode\b|\bundici\b|\baxios\//i, t.script],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, t.android],
  [/\bWindows\b/, t.windows],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, t.linux],
];

/**
 * Describes a user agent: `Chrome on Windows`. An unknown agent is returned unchanged, an empty one
 * as unknown.
 */
export function deviceWords(agent: string): string {
  const browser = BROWSERS.find(([mark]) => mark.test(agent))?.[1];
  const system = SYSTEMS.find(([mark]) => mark.test(agent))?.[1];
  if (browser !== undefined)
    return system === undefined ? browser : t.deviceOn({ browser, system });
  return system ?? (agent.trim() === '' ? t.unknownDevice : agent);
}
