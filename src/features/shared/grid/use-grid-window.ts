'use no memo'; // the virtualizer is one object for good: the compiler would keep its first answers
import { useVirtualizer } from '@tanstack/react-virtual';
import type { Rect, Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect } from 'react';
import type { RefObject } from 'react';
import { addPinned, getBlocks, getStretch } from './virtual-window.ts';
import type { IndexRange } from './virtual-window.ts';

interface AxisOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  /** Rows or days. */
  readonly total: number;
  /** Of each, in px. */
  readonly size: number;
  /** The sticky head or names before them, in px. */
  readonly sticky: number;
  /** The active row or day, which stays rendered: the grid names its cell to assistive technology. */
  readonly active: number | null;
}
export interface GridAxis {
  /** The visible part of the scroll container in px; 0 before it is known. */
  readonly width: number;
  readonly height: number;
  /** What is rendered: the stretch, and the active row or day. */
  readonly indexes: readonly number[];
  readonly stretch: IndexRange;
  /** Scrolls a row or day into view; `end`: to the end of the visible part. */
  readonly scrollTo: (index: number, align?: 'auto' | 'end') => void;
}

/** The rows of a grid that are rendered. */
export const useGridRows = (options: AxisOptions): GridAxis => useAxis(options, false);

/** The columns of a grid that are rendered. */
export const useGridColumns = (options: AxisOptions): GridAxis => useAxis(options, true);

function useAxis(
  { scroller, total, size, sticky, active }: AxisOptions,
  horizontal: boolean,
): GridAxis {
  // eslint-disable-next-line react/incompatible-library -- React Compiler skips this file
  const axis = useVirtualizer<HTMLElement, HTMLElement>({
    horizontal,
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => size,
    paddingStart: sticky,
    scrollPaddingStart: sticky,
    rangeExtractor: (range) => addPinned(getBlocks(range), active, range.count),
    observeElementRect: observeInside,
    useFlushSync: false,
  });
  // The virtualizer asks for sizes only once.
  useLayoutEffect(() => axis.measure(), [axis, size, sticky]);
  const indexes = axis.getVirtualItems().map(({ index }) => index);
  return {
    ...(axis.scrollRect ?? NOWHERE),
    indexes,
    stretch: getStretch(indexes),
    scrollTo: (index, align = 'auto') => axis.scrollToIndex(index, { align }),
  };
}

/** Observes the size of the scroll container without its scrollbars. */
function observeInside(
  { scrollElement: at }: Virtualizer<HTMLElement, HTMLElement>,
  onRect: (rect: Rect) => void,
): (() => void) | undefined {
  if (!at) return undefined;
  const look = (): void => onRect({ width: at.clientWidth, height: at.clientHeight });
  const sizes = new ResizeObserver(look);
  sizes.observe(at);
  look();
  return () => sizes.disconnect();
}

const NOWHERE: Rect = { width: 0, height: 0 };
