import { useEffect, useRef, useSyncExternalStore } from 'react';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { typing } from './keys.ts';
import { clearToasts, dismissToast, toasts, undoNewest } from './toasts.ts';
import type { Toast } from './toasts.ts';

/**
 * Top right, 400 px wide, newest below. Waits while it is pointed at or focused. Of those that can be undone the newest alone is seen, so that
 * work one by one does not cover the page; what was done before comes up again when the newest goes.
 */
export function Toasts() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.now), newest = shown.findLast(undoable);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'u' || event.defaultPrevented || typing(event)) return;
      if (undoNewest()) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    // With the frame goes what it said, and what could be undone: whoever signs in next has nothing to do with it.
    return () => { removeEventListener('keydown', onKey); clearToasts(); };
  }, []);
  return (
    <div className="pointer-events-none fixed top-3 right-3 left-3 z-50 grid justify-items-end gap-2">
      <output aria-label="Messages" className="contents">
        {shown.map((toast) => <Slip key={toast.id} toast={toast} behind={undoable(toast) && toast !== newest} />)}
      </output>
    </div>
  );
}

const undoable = ({ action }: Toast): boolean => action?.key === 'U';

/** How long a toast stays after the pointer or the focus has left it. */
const HELD_MS = 1_000;

function Slip({ toast, behind }: { readonly toast: Toast; readonly behind: boolean }) {
  const { id, tone, text, action, lastsMs } = toast;
  const slip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer = setTimeout(leave, lastsMs);
    function leave(): void {
      if (slip.current?.matches(':hover, :focus-within')) timer = setTimeout(leave, HELD_MS);
      else dismissToast(id);
    }
    return () => clearTimeout(timer);
  }, [id, lastsMs]);
  return (
    <div
      ref={slip} hidden={behind}
      className={`pointer-events-auto ${behind ? 'hidden' : 'flex'} min-h-11 w-full max-w-[400px] items-center gap-2.5 rounded-part border border-l-[3px] border-rule bg-sheet py-1.5 pr-1
        pl-3.5 shadow-toast ${tone === 'failed' ? 'border-l-failed' : 'border-l-accent'}`}
    >
      <Icon name={tone === 'failed' ? 'failed' : 'tick'} className={tone === 'failed' ? 'text-failed' : ''} />
      <span className="min-w-0 grow break-words" {...(tone === 'failed' && { role: 'alert' })}>{text}</span>
      {action && (
        <Button
          variant="quiet" size="sm" {...(action.key !== null && { keycap: action.key, icon: 'undo' })}
          onClick={() => { dismissToast(id); action.run(); }}
        >
          {action.word}
        </Button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={() => dismissToast(id)} />
    </div>
  );
}
