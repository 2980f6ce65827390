import { useEffect, useState } from 'react';

/**
 * Keeps the screen from going dark for as long as it is shown, where the browser can; answers
 * whether it does.
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
    // Refused on a low battery, for example: it is asked again when the page is looked at.
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
