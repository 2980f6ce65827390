import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { isTyping } from './is-typing.ts';
import { startToastTimer } from './toast-timer.ts';
import { followPresses, pressedBox, topOfToasts } from './toast-place.ts';
import { clearToasts, dismissToast, toasts, undoNewest } from './toasts.ts';
import type { Toast } from './toasts.ts';
import { uiMessages as t } from './messages.en.ts';

/**
 * Toasts at the top right, 400 px wide, newest last, never over the pressed control. Timers pause
 * while one is hovered or focused. Only the newest toast with undo is visible, so that reviewing
 * one by one does not cover the page; earlier ones reappear when it closes.
 */
export function Toasts() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.now);
  const newest = shown.findLast(undoable);
  const area = useRef<HTMLDivElement>(null);
  useEffect(followPresses, []);
  useLayoutEffect(() => {
    const { current } = area;
    // Toasts do not move under the pointer.
    if (current === null || shown.length === 0 || current.matches(':hover, :focus-within')) return;
    const { right, width, height, left } = current.getBoundingClientRect();
    const wide = Math.min(width, WIDTH);
    current.style.top = `${topOfToasts({ left: width > WIDTH ? right - wide : left, top: 0, width: wide, height }, pressedBox(), innerHeight)}px`;
  }, [shown]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'u' || event.defaultPrevented || isTyping(event)) return;
      if (undoNewest()) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    // When the shell unmounts, all toasts and undo actions are dropped: they do not belong to the
    // next user.
    return () => {
      removeEventListener('keydown', onKey);
      clearToasts();
    };
  }, []);
  return (
    <div
      ref={area}
      data-toasts
      className="pointer-events-none fixed top-3 right-3 left-3 z-50 grid justify-items-end gap-2"
    >
      <output aria-label={t.messages} className="contents">
        {shown.map((toast) => (
          <Slip key={toast.id} toast={toast} behind={undoable(toast) && toast !== newest} />
        ))}
      </output>
    </div>
  );
}

const undoable = ({ action }: Toast): boolean => action?.key === 'U';

const WIDTH = 400;

function Slip({ toast, behind }: { readonly toast: Toast; readonly behind: boolean }) {
  const { id, tone, text, action, lastsMs } = toast;
  const slip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = slip.current;
    const timer = startToastTimer(lastsMs, () => dismissToast(id));
    const heard = (): void =>
      element?.matches(':hover, :focus-within') === true ? timer.hold() : timer.release();
    for (const kind of HELD_BY) element?.addEventListener(kind, heard);
    return () => {
      timer.stop();
      for (const kind of HELD_BY) element?.removeEventListener(kind, heard);
    };
  }, [id, lastsMs]);
  return (
    <div
      ref={slip}
      hidden={behind}
      className={`pointer-events-auto ${behind ? 'hidden' : 'flex'} min-h-11 w-full max-w-[400px] items-center gap-2.5 rounded-part border border-l-[3px] border-rule bg-sheet py-1.5 pr-1
        pl-3.5 shadow-toast ${EDGE[tone]}`}
    >
      <Icon name={ICON[tone]} className={INK[tone]} />
      <span className="min-w-0 grow break-words" {...(tone === 'failed' && { role: 'alert' })}>
        {text}
      </span>
      {action && (
        <Button
          variant="quiet"
          size="sm"
          {...(action.key !== null && { keycap: action.key, icon: 'undo' })}
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="close" label={t.dismiss} onClick={() => dismissToast(id)} />
    </div>
  );
}

const HELD_BY = ['pointerenter', 'pointerleave', 'focusin', 'focusout'] as const;
const EDGE = {
  done: 'border-l-accent',
  info: 'border-l-running',
  failed: 'border-l-failed',
} as const;
const ICON = { done: 'tick', info: 'note', failed: 'failed' } as const;
const INK = { done: '', info: 'text-running', failed: 'text-failed' } as const;
