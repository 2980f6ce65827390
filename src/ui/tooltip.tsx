import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { placeTooltip } from './tooltip-place.ts';

const OPEN_MS = 400;
/** How long the pointer may be on its way from the anchor to the tooltip. */
const LEAVE_MS = 150;
const PRESS_MS = 500;
/** A finger that moves further than this scrolls. */
const PRESS_SLOP = 10;

/**
 * `byKeyboard`: opened by the focus alone. The pointer passes through it then: it may lie above a
 * control that is to be pressed.
 */
interface Shown {
  readonly anchor: HTMLElement;
  readonly text: string;
  readonly byKeyboard: boolean;
}

/**
 * The one tooltip of the page. Any element gets one by the attribute `data-tip`, so that a list of
 * thousands of rows mounts nothing for it. It opens when the pointer rests on the element, at once
 * when the element gets the focus by keyboard, and by a long press of a finger.
 */
export function Tooltip() {
  const [shown, setShown] = useState<Shown | null>(null);
  const id = useId();
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => listen(tip, setShown), []);
  useLayoutEffect(
    () => (shown === null || tip.current === null ? undefined : present(tip.current, shown, id)),
    [shown, id],
  );
  if (shown === null) return null;
  // Everything outside of an open dialog is inert: there the tooltip could not be pointed at.
  // Elsewhere it belongs to the landmark of its anchor.
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
 * Shows the tooltip above everything, places it and ties it to its anchor; the answer undoes the
 * tie.
 */
function present(tip: HTMLElement, { anchor, text }: Shown, id: string): () => void {
  tip.showPopover();
  const { left, top } = placeTooltip(anchor.getBoundingClientRect(), tip.getBoundingClientRect(), {
    width: innerWidth,
    height: innerHeight,
  });
  Object.assign(tip.style, { left: `${left}px`, top: `${top}px` });
  // Read out once: not after a name or words that say the same.
  if (anchor.getAttribute('aria-label') === text || wordsOf(anchor) === text) return () => {};
  const before = anchor.getAttribute('aria-describedby');
  anchor.setAttribute('aria-describedby', before === null ? id : `${before} ${id}`);
  return () =>
    before === null
      ? anchor.removeAttribute('aria-describedby')
      : anchor.setAttribute('aria-describedby', before);
}

/** Opens and closes it, for all of the document; the answer stops that. */
function listen(
  tip: { readonly current: HTMLElement | null },
  show: (shown: Shown | null) => void,
): () => void {
  let open: Shown | null = null;
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
      // A page that moves under a resting pointer opens nothing.
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
    // A dialog takes a press in the tooltip for one outside of itself, and would close.
    mousedown(event: MouseEvent) {
      if (inTip(event.target)) event.stopPropagation();
    },
    click(event: MouseEvent) {
      if (inTip(event.target)) return event.stopPropagation();
      // The long press that showed what a button does must not press the button as well.
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

/** What can have the focus and holds one text that may be cut. */
const LABELLED = 'a, button, [role="option"], [role="menuitem"], [role="menuitemradio"]';

const anchorAt = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;

const wordsOf = (element: HTMLElement): string => (element.textContent ?? '').trim();

/** Whether the text says more than is seen: words that stand there in full need no tooltip. */
function addsTo(anchor: HTMLElement, text: string): boolean {
  if (text.trim() === '') return false;
  if (wordsOf(anchor) !== text.trim()) return true;
  let box: HTMLElement | null = anchor;
  while (box !== null && getComputedStyle(box).display === 'inline') box = box.parentElement;
  return box !== null && [box, ...box.querySelectorAll('*')].some(isCut);
}

const isCut = (element: Element): boolean =>
  element.clientWidth > 0 &&
  (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1) &&
  getComputedStyle(element).overflow !== 'visible';
