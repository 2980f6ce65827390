import { useEffect, useRef } from 'react';

/** Moves the focus to the heading when the page shows another step, so that it is read. */
export function useStepFocus(step: string): void {
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    const heading = document.querySelector('h1');
    heading?.focus();
    heading?.scrollIntoView({ block: 'nearest' });
  }, [step]);
}
