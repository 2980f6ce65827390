import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useIsTablet } from './use-is-tablet.ts';
import { uiMessages as t } from './messages.en.ts';

export interface SidePanelProps {
  readonly title: string;
  readonly detail: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * Panel of the open entry: beside the list, instead of the list on a tablet, and a sheet over it on
 * a phone. It takes the focus: set `key` to the id of the entry. Escape closes it. It depends on
 * Headless UI: import it from lazy parts only.
 */
export function SidePanel(props: SidePanelProps) {
  const isTablet = useIsTablet();
  // It stays what it was opened as: the other one would lose what is typed in it.
  const [isSheet] = useState(!isTablet);
  if (!isSheet) return <Beside {...props} />;
  const { title, detail, onClose, children } = props;
  return (
    <Dialog title={title} place={isTablet ? 'middle' : 'bottom'} scroll="own" onClose={onClose}>
      <div className="shrink-0 px-4 pt-3 pb-1 break-words text-ink-2 empty:hidden tablet:px-5">
        {detail}
      </div>
      {children}
    </Dialog>
  );
}

/** Classes of a list that the panel replaces where there is no room for both. */
export const LIST_BESIDE_PANEL = 'max-desk:has-[+section]:hidden';

function Beside({ title, detail, onClose, children }: SidePanelProps) {
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
