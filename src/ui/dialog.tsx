import {
  Dialog as HeadlessDialog,
  DialogBackdrop,
  DialogPanel,
  DialogTitle,
} from '@headlessui/react';
import { useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { Button, IconButton } from './button.tsx';
import { unsavedMessages } from './unsaved.messages.en.ts';
import { useLeaveBlocker } from './use-leave-blocker.ts';
import { useReturnFocus } from './use-return-focus.ts';
import { uiMessages as t } from './messages.en.ts';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /**
   * `middle`: a centered dialog. `corner`: at the top right, below the page header. `left`: a
   * drawer without a header. `bottom`: a sheet on a phone.
   */
  readonly place?: 'middle' | 'corner' | 'left' | 'bottom';
  readonly children: ReactNode;
  /** Buttons, the primary one first; always visible while the content scrolls. */
  readonly footer?: ReactNode;
  /** Gets the initial focus; by default the first control. */
  readonly first?: RefObject<HTMLElement | null>;
  /** Only its own buttons close it, because its content is shown once. */
  readonly stays?: boolean;
  /** Closing it would lose changes: it asks first, except for its own buttons. */
  readonly dirty?: boolean;
  /** For `middle`: 720 px wide instead of 520. */
  readonly wide?: boolean;
  /** `content` (default): all of the content scrolls. `own`: its parts do, in a column. */
  readonly scroll?: 'content' | 'own';
}

/** Open as long as it is rendered. It depends on Headless UI: import it from lazy parts only. */
export function Dialog({
  title,
  onClose,
  place = 'middle',
  children,
  footer,
  first,
  stays = false,
  dirty = false,
  wide = false,
  scroll = 'content',
}: DialogProps) {
  useReturnFocus();
  const [isClosing, setClosing] = useState(false);
  const leaving = useLeaveBlocker(dirty);
  const close = dirty ? () => setClosing(true) : onClose;
  return (
    <HeadlessDialog
      open
      onClose={stays ? () => {} : close}
      className="relative z-40"
      {...(first && { initialFocus: first })}
    >
      <DialogBackdrop
        className={`fixed inset-0 ${place === 'corner' ? 'bg-transparent' : 'bg-(--backdrop)'}`}
      />
      <div className={`fixed inset-0 flex ${PLACE[place]}`}>
        <DialogPanel
          className={`flex min-h-0 max-w-full flex-col overflow-hidden border-rule bg-sheet text-ink shadow-toast ${PANEL[place]} ${place === 'middle' ? (wide ? 'w-[720px]' : 'w-[520px]') : ''}`}
        >
          {place === 'left' ? (
            <DialogTitle className="sr-only">{title}</DialogTitle>
          ) : (
            <div className="flex items-center gap-3 border-b border-rule py-2.5 pr-3 pl-5">
              <DialogTitle className="m-0 min-w-0 grow text-head break-words">{title}</DialogTitle>
              {!stays && <IconButton icon="close" label={t.close} onClick={close} />}
            </div>
          )}
          <div
            className={`min-h-0 grow overscroll-contain ${scroll === 'own' ? 'flex flex-col' : 'overflow-auto'}`}
          >
            {children}
          </div>
          {footer !== undefined && (
            <div className="flex flex-wrap gap-2 border-t border-rule bg-paper px-5 py-3">
              {footer}
            </div>
          )}
        </DialogPanel>
      </div>
      {leaving.status === 'blocked' ? (
        <DiscardQuestion onDiscard={leaving.proceed} onKeep={leaving.reset} />
      ) : (
        isClosing && <DiscardQuestion onDiscard={onClose} onKeep={() => setClosing(false)} />
      )}
    </HeadlessDialog>
  );
}

/** Asks whether unsaved changes are discarded. */
export function DiscardQuestion({
  onDiscard,
  onKeep,
}: {
  readonly onDiscard: () => void;
  readonly onKeep: () => void;
}) {
  return (
    <Dialog
      title={unsavedMessages.title}
      onClose={onKeep}
      footer={
        <>
          <Button variant="danger" onClick={onDiscard}>
            {unsavedMessages.discard}
          </Button>
          <Button onClick={onKeep}>{unsavedMessages.keepEditing}</Button>
        </>
      }
    >
      <p className="m-0 px-5 py-4 text-ink-2">{unsavedMessages.unsaved}</p>
    </Dialog>
  );
}

const PLACE = {
  middle: 'items-center justify-center p-3',
  corner: 'items-start justify-end p-3 pt-14',
  left: 'items-stretch justify-start',
  bottom: 'items-end justify-center',
} as const;

const PANEL = {
  middle: 'max-h-full rounded-part border',
  corner: 'max-h-full w-[400px] rounded-part border',
  left: 'w-[280px] animate-drawer border-r',
  bottom: 'max-h-[85%] w-full rounded-t-part border-t',
} as const;
