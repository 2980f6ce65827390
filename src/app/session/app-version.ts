import { APP_VERSION } from '#contract/app-version.ts';
import { writeStored, readStored } from './browser-storage.ts';

/** Storage key of the portal version that this browser started last. */
const KEY = 'appVersion';
/** Provisioning and e-mail verification: a visitor with an invitation is not interrupted. */
const EXEMPT = /^\/o365\/register(\/|$)/;

/**
 * VERSION-1: resolves once this version of the app may start. If the browser last started another
 * version, the user is logged out first. Without a stored version there is nothing to compare.
 */
export function checkAppVersion(path: string): Promise<void> | undefined {
  const stored = readStored(KEY);
  if (stored === APP_VERSION || EXEMPT.test(path)) return undefined;
  if (stored !== null)
    return (checking ??= import('./new-version.ts').then(({ leaveForNewVersion }) =>
      leaveForNewVersion(keepVersion),
    ));
  keepVersion();
  return undefined;
}

const keepVersion = (): void => writeStored(KEY, APP_VERSION);
let checking: Promise<void> | undefined;
