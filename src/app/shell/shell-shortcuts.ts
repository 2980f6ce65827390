import { useEffect, useEffectEvent, useRef } from 'react';
import { isTyping } from '../../ui/is-typing.ts';
import { getShortcutStep } from './go-to-shortcuts.ts';

export interface FrameKeys {
  /** Disables all shortcuts: there is nothing to navigate to. */
  readonly off: boolean;
  /** The command palette was requested and is still loading. */
  readonly asking: boolean;
  readonly onPalette: () => void;
  readonly onGo: (to: string) => void;
}

/** Shortcuts of every page: ⌘K or Ctrl K, and G with a letter. They run before the page's own. */
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
      // keys typed while the palette loads must not reach the rows behind it
      event.preventDefault();
      event.stopImmediatePropagation();
      return event.key === 'Escape' ? onPalette() : undefined;
    }
    if (isTyping(event) || event.shiftKey || event.repeat) return undefined;
    const what = getShortcutStep(event.key, event.timeStamp, armedAt.current);
    armedAt.current = what.kind === 'arm' ? event.timeStamp : null;
    if (what.kind !== 'go') return undefined;
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
