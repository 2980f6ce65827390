import { useEffect, useEffectEvent, useRef } from 'react';
import { isTyping } from '../../ui/is-typing.ts';
import { goOf } from './go-to-shortcuts.ts';

export interface FrameKeys {
  /** There is nowhere to go. */
  readonly off: boolean;
  /** The palette was asked for. */
  readonly asking: boolean;
  readonly onPalette: () => void;
  readonly onGo: (to: string) => void;
}

/**
 * Keys that mean the same on every page: ⌘K or Ctrl K, and G with a letter. They are heard before
 * the page's own.
 */
export function useShellShortcuts({ off, asking, onPalette, onGo }: FrameKeys): void {
  const armedAt = useRef<number | null>(null);
  const onKey = useEffectEvent((event: KeyboardEvent): void => {
    if (off || event.isComposing) return;
    if (
      (event.metaKey || event.ctrlKey) &&
      !event.altKey &&
      !event.shiftKey &&
      event.key.toLowerCase() === 'k'
    ) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return onPalette();
    }
    if (asking && !isTyping(event)) {
      // it is on its way: what is typed is meant for it, and for no row behind it
      event.preventDefault();
      event.stopImmediatePropagation();
      return event.key === 'Escape' ? onPalette() : undefined;
    }
    if (isTyping(event) || event.shiftKey || event.repeat) return undefined;
    const what = goOf(event.key, event.timeStamp, armedAt.current);
    armedAt.current = what.is === 'arm' ? event.timeStamp : null;
    if (what.is !== 'go') return undefined;
    event.preventDefault();
    event.stopImmediatePropagation();
    return onGo(what.to);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event);
    addEventListener('keydown', listen, { capture: true });
    return () => removeEventListener('keydown', listen, { capture: true });
  }, []);
}
