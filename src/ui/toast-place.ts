/** CSS pixels in the window. */
export interface ToastBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const TOP = 12;
const GAP = 8;

/**
 * Returns the top offset of the toasts so that they do not cover the pressed control: at the top if
 * possible, otherwise below the control, otherwise above it, with a gap as far as there is room. If
 * nothing fits, they stay at the top.
 */
export function topOfToasts(
  messages: ToastBox,
  pressed: ToastBox | null,
  viewHeight: number,
): number {
  if (pressed === null || !meets({ ...messages, top: TOP }, pressed)) return TOP;
  const below = pressed.top + pressed.height;
  const lowest = viewHeight - messages.height;
  if (below <= lowest) return Math.min(below + GAP, lowest);
  const above = pressed.top - messages.height;
  return above >= 0 ? Math.max(0, above - GAP) : TOP;
}

const meets = (a: ToastBox, b: ToastBox): boolean =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height + GAP &&
  b.top < a.top + a.height + GAP;

/** Small interactive elements. A focused list is excluded, because it can fill the window. */
const PRESSED =
  'a, button, summary, input, select, [role="button"], [role="menuitem"], [role="switch"]';
let last: Element | null = null;

const heard = ({ target }: Event): void => {
  last = target instanceof Element ? target.closest(PRESSED) : null;
};

/** Remembers the last pressed element, by pointer or key. Returns the function that stops it. */
export function followPresses(): () => void {
  addEventListener('pointerdown', heard, true);
  addEventListener('keydown', heard, true);
  return () => {
    removeEventListener('pointerdown', heard, true);
    removeEventListener('keydown', heard, true);
    last = null;
  };
}

/**
 * Returns the current position of the last pressed element; null if it is gone. Toasts themselves
 * do not count.
 */
export const pressedBox = (): ToastBox | null =>
  last === null || !last.isConnected || last.closest('[data-toasts]') !== null
    ? null
    : last.getBoundingClientRect();
