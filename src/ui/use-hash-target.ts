import { useEffect, useRef } from 'react';

/** Brings the element that the address names into view and gives it the focus, once it is there. */
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
