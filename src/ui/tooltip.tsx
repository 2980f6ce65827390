import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { placeTooltip } from './tooltip-place.ts';

const OPEN_MS = 400;
/** How long the pointer may take from the anchor to the tooltip, in milliseconds. */
const LEAVE_MS = 150;
const PRESS_MS = 500;
/** A touch that moves further than this, in px, is a scroll. */
const PRESS_SLOP = 10;

/**
 * `byKeyboard`: opened by focus alone. It then ignores the pointer, because it can cover a control.
 */
interface OpenTooltip {
  readonly anchor: HTMLElement;
  readonly text: string;
  readonly byKeyboard: boolean;
}

/**
 * The page's only tooltip. Every element with the attribute `data-tip` has one, so that lists of
 * thousands of rows mount nothing for it. It opens when the pointer rests on the element,
 * immediately on keyboard focus, and on a long press.
 */
export function Tooltip() {
  const [shown, setShown] = useState<OpenTooltip | null>(null);
  const id = useId();
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => listen(tip, setShown), []);
  useLayoutEffect(
    () => (shown === null || tip.current === null ? undefined : present(tip.current, shown, id)),
    [shown, id],
  );
  if (shown === null) return null;
  // Everything outside an open dialog is inert, so its tooltip must be inside. Otherwise it belongs
  // to the landmark of its anchor.
  const host = shown.anchor.closest('[role="dialog"], main, header, aside') ?? document.body;
  return createPortal(
    <div
      ref={tip}
      id={id}
      role="tooltip"
      popover="manual"
      className={`fixed inset-auto m-0 max-h-[40vh] w-max max-w-[min(360px,calc(100vw-16px))] overflow-auto rounded-part border border-bar-line bg-bar px-2 py-1 text-agate
        font-normal break-words whitespace-pre-line text-on-bar print:hidden ${shown.byKeyboard ? 'pointer-events-none' : ''}`}
    >
      {shown.text}
    </div>,
    host,
  );
}

/**
 * Shows the tooltip above everything, positions it and links it to its anchor by ARIA. Returns the
 * function that removes the link.
 */
function present(tip: HTMLElement, { anchor, text }: OpenTooltip, id: string): () => void {
  tip.showPopover();
  const { left, top } = placeTooltip(anchor.getBoundingClientRect(), tip.getBoundingClientRect(), {
    width: innerWidth,
    height: innerHeight,
  });
  Object.assign(tip.style, { left: `${left}px`, top: `${top}px` });
  // Announced once: not if the accessible name or the text already says the same.
  if (anchor.getAttribute('aria-label') === text || getWords(anchor) === text) return () => {};
  const before = anchor.getAttribute('aria-describedby');
  anchor.setAttribute('aria-describedby', before === null ? id : `${before} ${id}`);
  return () =>
    before === null
      ? anchor.removeAttribute('aria-describedby')
      : anchor.setAttribute('aria-describedby', before);
}

/** Opens and closes the tooltip for the whole document. Returns the function that stops it. */
function listen(
  tip: { readonly current: HTMLElement | null },
  show: (shown: OpenTooltip | null) => void,
): () => void {
  let open: OpenTooltip | null = null;
  let over: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let at = { x: -1, y: -1 };
  let pressed = false;
  const gone = new MutationObserver(() => {
    if (open !== null && !open.anchor.isConnected) close();
  });
  const wait = (ms: number, then: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
  };
  function close(): void {
    clearTimeout(timer);
    gone.disconnect();
    if (open !== null) show((open = null));
  }
  function openAt(anchor: HTMLElement, byKeyboard = false): void {
    const text = anchor.dataset['tip'] ?? '';
    if (!anchor.isConnected || !addsTo(anchor, text)) return close();
    clearTimeout(timer);
    gone.observe(document.body, { childList: true, subtree: true });
    show((open = { anchor, text, byKeyboard }));
  }
  const waitFor = (anchor: HTMLElement, ms: number): void => wait(ms, () => openAt(anchor));
  const lift = ({ pointerType }: PointerEvent): void => {
    if (pointerType === 'touch' && open === null) clearTimeout(timer);
  };
  const inTip = (target: EventTarget | null): boolean =>
    target instanceof Node && tip.current?.contains(target) === true;
  const on = {
    pointermove({ pointerType, clientX: x, clientY: y, target }: PointerEvent) {
      if (pointerType === 'touch') {
        if (Math.hypot(x - at.x, y - at.y) > PRESS_SLOP) clearTimeout(timer);
        return;
      }
      // Scrolling under a resting pointer must not open it.
      if (x === at.x && y === at.y) return;
      at = { x, y };
      const anchor = open !== null && inTip(target) ? open.anchor : anchorAt(target);
      if (anchor === over) return;
      over = anchor;
      if (open !== null && anchor !== open.anchor)
        wait(LEAVE_MS, () => {
          close();
          if (over !== null) waitFor(over, OPEN_MS - LEAVE_MS);
        });
      else if (open === null && anchor !== null) waitFor(anchor, OPEN_MS);
      else clearTimeout(timer);
    },
    pointerdown(event: PointerEvent) {
      const { pointerType, clientX, clientY, target } = event;
      pressed = false;
      if (inTip(target)) return event.stopPropagation();
      close();
      if (pointerType !== 'touch') return;
      at = { x: clientX, y: clientY };
      const anchor = anchorAt(target);
      if (anchor !== null)
        wait(PRESS_MS, () => {
          openAt(anchor);
          pressed = open !== null;
        });
    },
    pointerup: lift,
    pointercancel: lift,
    // A dialog treats a press in the tooltip as a click outside and would close.
    mousedown(event: MouseEvent) {
      if (inTip(event.target)) event.stopPropagation();
    },
    click(event: MouseEvent) {
      if (inTip(event.target)) return event.stopPropagation();
      // The long press that opened the tooltip must not also press the button.
      if (pressed) {
        event.preventDefault();
        event.stopPropagation();
      }
      pressed = false;
    },
    pointerout({ pointerType, relatedTarget }: PointerEvent) {
      if (pointerType === 'touch' || relatedTarget !== null) return;
      over = null;
      wait(LEAVE_MS, close);
    },
    focusin({ target }: FocusEvent) {
      if (!(target instanceof HTMLElement) || !target.matches(':focus-visible')) return;
      const anchor = target.hasAttribute('data-tip')
        ? target
        : target.matches(LABELLED)
          ? target.querySelector<HTMLElement>('[data-tip]')
          : null;
      if (anchor !== null) openAt(anchor, true);
    },
    focusout() {
      if (open !== null && open.anchor !== over) close();
    },
    keydown({ key }: KeyboardEvent) {
      pressed = false;
      if (key === 'Escape') close();
    },
    scroll({ target }: Event) {
      if (!inTip(target)) close();
    },
  };
  const heard = Object.entries(on) as [string, EventListener][];
  for (const [kind, listener] of heard) addEventListener(kind, listener, true);
  return () => {
    for (const [kind, listener] of heard) removeEventListener(kind, listener, true);
    clearTimeout(timer);
    gone.disconnect();
  };
}

/** Focusable elements with a single text that can be truncated. */
const LABELLED = 'a, button, [role="option"], [role="menuitem"], [role="menuitemradio"]';

const anchorAt = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;

const getWords = (element: HTMLElement): string => (element.textContent ?? '').trim();

/** Returns whether the tooltip adds information: a text that is fully visible needs none. */
function addsTo(anchor: HTMLElement, text: string): boolean {
  if (text.trim() === '') return false;
  if (getWords(anchor) !== text.trim()) return true;
  let box: HTMLElement | null = anchor;
  while (box !== null && getComputedStyle(box).display === 'inline') box = box.parentElement;
  return box !== null && [box, ...box.querySelectorAll('*')].some(isCut);
}

const isCut = (element: Element): boolean =>
  element.clientWidth > 0 &&
  (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1) &&
  getComputedStyle(element).overflow !== 'visible';
