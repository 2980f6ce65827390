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
 * Counts a click that led to a system's page, of this user on this browser; answers how many there
 * were before. The count grants nothing: it tells whether the server is asked.
 */
export function countClick(user: string, provider: SsoProvider): number {
  const clicks = clicksOf(user);
  const before = clicks[provider] ?? 0;
  writeStored(CLICKS, JSON.stringify({ user, clicks: { ...clicks, [provider]: before + 1 } }));
  return before;
}

/** That a session was made in Zerto's portal; never which. */
export const keepZertoSession = (): void => writeStored(SESSION, '1');
export const hasZertoSession = (): boolean => readStored(SESSION) === '1';

/** With logging out. */
export function forgetClicks(): void {
  writeStored(CLICKS, null);
  writeStored(SESSION, null);
}

type Clicks = Readonly<Partial<Record<SsoProvider, number>>>;
function clicksOf(user: string): Clicks {
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
