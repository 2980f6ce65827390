import { useEffect, useRef } from 'react';

/** Scrolls to the element of the address's fragment and focuses it, once it exists. */
export function useHashTarget(isReady: boolean): void {
  const isDone = useRef(false);
  useEffect(() => {
    const target =
      isReady && !isDone.current && location.hash !== ''
        ? document.getElementById(location.hash.slice(1))
        : null;
    if (target === null) return;
    isDone.current = true;
    target.tabIndex = -1;
    target.scrollIntoView({ block: 'center' });
    target.focus({ preventScroll: true });
  }, [isReady]);
}
