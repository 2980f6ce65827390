import type { SsoProvider } from '#contract/auth/profile.ts';
import { writeStored, readStored } from './browser-storage.ts';

export const SSO_WORDS: Readonly<Record<SsoProvider, string>> = {
  vac: 'Veeam Service Provider Console',
  vcd: 'VMware Cloud Director',
  zerto: 'Zerto',
};

const CLICKS = 'ssoClicks';
const SESSION = 'zertoSession';

/**
 * Counts a click that opened another system's page, for each user and browser. Returns the number
 * of earlier clicks. The count grants nothing: it only decides whether to ask the server.
 */
export function countClick(user: string, provider: SsoProvider): number {
  const clicks = getClicks(user);
  const before = clicks[provider] ?? 0;
  writeStored(CLICKS, JSON.stringify({ user, clicks: { ...clicks, [provider]: before + 1 } }));
  return before;
}

/** Records that a session was created in Zerto's portal, without any detail of it. */
export const keepZertoSession = (): void => writeStored(SESSION, '1');
export const hasZertoSession = (): boolean => readStored(SESSION) === '1';

/** Called at sign-out. */
export function forgetClicks(): void {
  writeStored(CLICKS, null);
  writeStored(SESSION, null);
}

type Clicks = Readonly<Partial<Record<SsoProvider, number>>>;
function getClicks(user: string): Clicks {
  try {
    const read: unknown = JSON.parse(readStored(CLICKS) ?? '');
    if (
      typeof read !== 'object' ||
      read === null ||
      !('user' in read) ||
      read.user !== user ||
      !('clicks' in read) ||
      typeof read.clicks !== 'object' ||
      read.clicks === null
    )
      return {};
    return Object.fromEntries(
      Object.entries(read.clicks).filter(([, count]) => Number.isSafeInteger(count) && count >= 0),
    );
  } catch {
    return {};
  }
}
