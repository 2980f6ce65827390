import { useEffect, useState } from 'react';

/**
 * Gives the focus back to the control that had it when this was first rendered, if nothing else has
 * it afterwards. Headless UI does that itself, but only knows controls that got the focus after it
 * was loaded: not the one that loads the first dialog.
 */
export function useReturnFocus(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After Headless UI's own attempt.
      setTimeout(() => {
        const { activeElement } = document;
        const isLost = activeElement === null || activeElement === document.body;
        if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus();
      });
    },
    [opener],
  );
}
