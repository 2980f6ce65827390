/** CSS pixels in the window. */
export interface TooltipBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}
export interface ElementSize {
  readonly width: number;
  readonly height: number;
}

const GAP = 6;
const MARGIN = 8;

/**
 * Returns the top left corner of a tooltip: above its anchor, otherwise below it, and always inside
 * the window. If neither side has enough room, the larger one is used.
 */
export function placeTooltip(
  anchor: TooltipBox,
  tip: ElementSize,
  view: ElementSize,
): { readonly left: number; readonly top: number } {
  const above = anchor.top - GAP - tip.height;
  const below = anchor.top + anchor.height + GAP;
  const roomAbove = anchor.top;
  const roomBelow = view.height - anchor.top - anchor.height;
  const goesAbove =
    above >= MARGIN || (below + tip.height > view.height - MARGIN && roomAbove >= roomBelow);
  return {
    left: within(
      anchor.left + Math.min(anchor.width, tip.width) / 2 - tip.width / 2,
      view.width - tip.width,
    ),
    top: within(goesAbove ? above : below, view.height - tip.height),
  };
}

const within = (wanted: number, last: number): number =>
  Math.max(Math.min(MARGIN, Math.max(0, last)), Math.min(wanted, last - MARGIN));
