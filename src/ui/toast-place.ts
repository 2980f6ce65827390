/** CSS pixels in the window. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const TOP = 12;
const GAP = 8;

/**
 * How far from the top of the window the messages begin, so that they do not cover what was
 * pressed: as high as they may, else below it, else above it. Where there is room for neither they
 * stay at the top.
 */
export function topOfToasts(messages: Box, pressed: Box | null, viewHeight: number): number {
  if (pressed === null || !meets({ ...messages, top: TOP }, pressed)) return TOP;
  const below = pressed.top + pressed.height + GAP;
  if (below + messages.height <= viewHeight) return below;
  const above = pressed.top - GAP - messages.height;
  return above >= 0 ? above : TOP;
}

const meets = (a: Box, b: Box): boolean =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height + GAP &&
  b.top < a.top + a.height + GAP;

/**
 * What is pressed: small things that act. A list that has the focus is none, it may fill the
 * window.
 */
const PRESSED =
  'a, button, summary, input, select, [role="button"], [role="menuitem"], [role="switch"]';
let last: Element | null = null;

const heard = ({ target }: Event): void => {
  last = target instanceof Element ? target.closest(PRESSED) : null;
};

/** Remembers what is pressed, by pointer or by key, until the answer is called. */
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
 * Where the last thing that was pressed is now; null where it is gone. Messages themselves do not
 * count.
 */
export const pressedBox = (): Box | null =>
  last === null || !last.isConnected || last.closest('[data-toasts]') !== null
    ? null
    : last.getBoundingClientRect();
