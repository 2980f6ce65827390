/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a range input cannot hold a drawing */
import { useState } from 'react';
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { useWidth } from '../use-width.ts';
import { columnAt, getStep, LEFT } from './scales.ts';

export interface ChosenColumn {
  /** The column whose values are shown: the one at the pointer or keyboard cursor, or the newest. */
  readonly at: number;
  readonly isChosen: boolean;
  readonly choose: (at: number | null) => void;
}

/** `count`: number of columns. */
export function useChosenColumn(count: number): ChosenColumn {
  const [chosen, choose] = useState<number | null>(null);
  const isChosen = chosen !== null && chosen < count;
  return { at: isChosen ? chosen : count - 1, isChosen, choose };
}

interface ColumnChartProps {
  /** `Day of the chart`. */
  readonly label: string;
  readonly count: number;
  readonly column: ChosenColumn;
  /** The chosen column's values in words. */
  readonly text: string;
  /** CSS pixels: of the whole, and from its top to the axis. */
  readonly height: number;
  readonly floor: number;
  /** CSS pixels at the left for the labels of the scale. */
  readonly left?: number;
  /** Opens the results of a column; null if there are none to open. */
  readonly onOpen: ((at: number) => void) | null;
  /** The drawing, in a box of the chart's size. `step`: distance between two columns. */
  readonly children: (step: number) => ReactNode;
}

/**
 * The frame of a chart with columns: a slider whose cursor follows pointer and arrow keys. A click or
 * Enter opens the results. The drawing itself has no controls.
 */
export function ColumnChart({
  label,
  count,
  column: { at, isChosen, choose },
  text,
  height,
  floor,
  left = LEFT,
  onOpen,
  children,
}: ColumnChartProps) {
  const { box, width } = useWidth();
  const step = getStep(width, count, left);
  const onKey = (event: KeyboardEvent): void => {
    const to = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageDown: at - 7,
      PageUp: at + 7,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to !== undefined) choose(Math.min(count - 1, Math.max(0, to)));
    else if (event.key === 'Enter' && onOpen !== null) onOpen(at);
    else return;
    event.preventDefault();
  };
  const under = (event: PointerEvent): number =>
    columnAt(event.clientX - event.currentTarget.getBoundingClientRect().left, step, count, left);
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={at + 1}
      aria-valuetext={text}
      className={`relative touch-pan-y ${onOpen ? 'cursor-pointer' : ''}`}
      style={{ height }}
      onKeyDown={onKey}
      onPointerMove={(event) => choose(under(event))}
      onPointerLeave={(event) => {
        if (event.pointerType === 'mouse') choose(null);
      }}
      onPointerUp={(event) => {
        choose(under(event));
        // A tap covers the bar, so on touch it only selects; the link beside the chart opens the
        // results.
        if (event.pointerType === 'mouse' && event.button === 0) onOpen?.(under(event));
      }}
    >
      {isChosen && (
        <i
          aria-hidden
          className="absolute top-0 bg-wash"
          style={{ left: left + at * step, width: step, height: floor }}
        />
      )}
      {width > 0 && (
        <div aria-hidden inert className="absolute inset-0">
          {children(step)}
        </div>
      )}
    </div>
  );
}
