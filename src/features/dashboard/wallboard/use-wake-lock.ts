import { useEffect, useState } from 'react';

/**
 * Keeps the screen awake while it is mounted, if the browser supports it. Returns whether it does.
 */
export function useAwake(): boolean {
  const [awake, setAwake] = useState(false);
  useEffect(() => {
    if (!('wakeLock' in navigator)) return undefined;
    let gone = false;
    let lock: WakeLockSentinel | null = null;
    const take = async (): Promise<void> => {
      if (document.visibilityState !== 'visible' || (lock && !lock.released)) return;
      const taken = await navigator.wakeLock.request('screen');
      if (gone) return taken.release();
      lock = taken;
      setAwake(true);
      taken.addEventListener('release', () => {
        if (!gone) setAwake(false);
      });
      return undefined;
    };
    // The browser can refuse, for example on low battery. The request is repeated when the page
    // becomes visible.
    const look = (): void => {
      take().catch(() => setAwake(false));
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      gone = true;
      document.removeEventListener('visibilitychange', look);
      lock?.release().catch(() => {});
    };
  }, []);
  return awake;
}
