import { useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

/** Returns the width of an element in CSS pixels, updated on resize; 0 until measured. */
export function useWidth(): {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly width: number;
} {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return { box, width };
}
