import { APP_VERSION } from '#contract/app-version.ts';
import { writeStored, readStored } from './browser-storage.ts';

/** Where this browser keeps the version of the portal that it started last. */
const KEY = 'appVersion';
/** Provisioning and e-mail verification: a visitor with an invitation is not interrupted. */
const EXEMPT = /^\/o365\/register(\/|$)/;

/**
 * VERSION-1: resolves once this version of the app may start. If the browser last started another
 * one, the user is logged out first. A browser that has started none, or keeps nothing, has no
 * version to compare.
 */
export function checkAppVersion(path: string): Promise<void> | undefined {
  const stored = readStored(KEY);
  if (stored === APP_VERSION || EXEMPT.test(path)) return undefined;
  if (stored !== null)
    return (checking ??= import('./sign-out.ts').then(({ leaveForNewVersion }) =>
      leaveForNewVersion(keepVersion),
    ));
  keepVersion();
  return undefined;
}

const keepVersion = (): void => writeStored(KEY, APP_VERSION);
let checking: Promise<void> | undefined;
