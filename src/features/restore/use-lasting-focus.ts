import { useState } from 'react';

/** A control that comes and goes, such as a button that is not rendered while something opens. */
export interface LastingFocus {
  /** For the control. */
  readonly ref: (control: HTMLElement | null) => (() => void) | undefined;
  /** Focuses the control, as soon as it is there. */
  readonly focus: () => void;
}

/** Returns the focus to a control that had it when it went, if nothing else has it afterwards. */
export function useLastingFocus(): LastingFocus {
  return useState(makeLastingFocus)[0];
}

function makeLastingFocus(): LastingFocus {
  let current: HTMLElement | null = null;
  let isDue = false;
  const give = (): void => {
    if (!isDue || current === null) return;
    isDue = false;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) current.focus();
  };
  return {
    ref: (control) => {
      if (control === null) return undefined;
      current = control;
      give();
      return () => {
        isDue ||= document.activeElement === control;
        current = null;
      };
    },
    focus: () => {
      isDue = true;
      // Whatever closes now gives the focus back itself first.
      requestAnimationFrame(give);
    },
  };
}
