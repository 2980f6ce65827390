import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { uiMessages as t } from './messages.en.ts';

export interface SidePanelProps {
  readonly title: string;
  readonly detail: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * Panel of the open entry beside the list; on narrow screens it replaces the list. It takes the
 * focus: set `key` to the id of the entry. Escape closes it.
 */
export function SidePanel({ title, detail, onClose, children }: SidePanelProps) {
  const head = useRef<HTMLHeadingElement>(null);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => head.current?.focus(), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // Escape closes open lists and dialogs above the panel first, and clears a search first.
      if (
        event.key !== 'Escape' ||
        event.defaultPrevented ||
        !(event.target instanceof HTMLElement) ||
        event.target.getAttribute('aria-expanded') === 'true'
      )
        return;
      if (event.target !== document.body && !panel.current?.contains(event.target)) return;
      event.preventDefault();
      onClose();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <section
      ref={panel}
      aria-label={title}
      className="flex min-h-0 min-w-0 flex-col border-rule bg-sheet desk:w-[500px] desk:shrink-0 desk:border-l max-desk:grow"
    >
      <header className="flex items-start gap-2 px-4 pt-3 pb-1 tablet:px-5">
        <div className="min-w-0 grow">
          <h2 ref={head} tabIndex={-1} className="m-0 text-head break-words outline-none">
            {title}
          </h2>
          <div className="break-words text-ink-2">{detail}</div>
        </div>
        <IconButton
          icon="close"
          label={t.close}
          keycap="Esc"
          className="-mr-1 px-1"
          onClick={onClose}
        />
      </header>
      {children}
    </section>
  );
}
