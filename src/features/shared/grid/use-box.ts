import { useEffect, useState, useSyncExternalStore } from 'react';
import type { RefObject } from 'react';
import type { Measures } from './virtual-window.ts';

/**
 * The visible part of a scroll container in px. It changes in steps of a few rows and days, so that
 * scrolling renders rarely.
 */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

const NOWHERE: Box = { top: 0, left: 0, width: 0, height: 0 };
const STEP = 4;

export function useBox(
  scroller: RefObject<HTMLElement | null>,
  { row, col }: Pick<Measures, 'row' | 'col'>,
): Box {
  const [box, setBox] = useState(NOWHERE);
  useEffect(() => {
    const at = scroller.current;
    if (!at) return;
    const look = (): void =>
      setBox((old) => {
        const top = Math.floor(at.scrollTop / (row * STEP)) * row * STEP;
        const left = Math.floor(at.scrollLeft / (col * STEP)) * col * STEP;
        const { clientWidth: width, clientHeight: height } = at;
        return old.top === top && old.left === left && old.width === width && old.height === height
          ? old
          : { top, left, width, height };
      });
    const sizes = new ResizeObserver(look);
    sizes.observe(at);
    at.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      at.removeEventListener('scroll', look);
    };
  }, [scroller, row, col]);
  return box;
}

/**
 * Returns true for touch input or a narrow window: cells are larger and the name column is narrow.
 */
export const useTouch = (): boolean => useSyncExternalStore(subscribe, () => query.matches);

const query = matchMedia('(pointer: coarse), (width < 900px)');
const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};
