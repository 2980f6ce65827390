import type { ReactNode } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import { Button } from '#src/ui/button.tsx';
import { uiMessages as t } from '#src/ui/messages.en.ts';

/** The buttons below an editor: save, cancel and delete. Saving and deleting need the network. */
export function EditorButtons({
  saveLabel,
  busy,
  offline,
  children,
  onClose,
  onDelete,
}: {
  readonly saveLabel: string;
  readonly busy: boolean;
  readonly offline: boolean;
  /** More buttons, after the one that saves. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
  /** Null: not stored yet. */
  readonly onDelete: (() => void) | null;
}) {
  return (
    <div className="flex flex-wrap gap-2 border-t border-rule py-4">
      <Button
        type="submit"
        variant="primary"
        busy={busy}
        disabled={offline}
        {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      >
        {saveLabel}
      </Button>
      {children}
      <Button onClick={onClose}>{t.cancel}</Button>
      {onDelete !== null && (
        <Button
          variant="quiet"
          icon="trash"
          className="ml-auto"
          disabled={offline}
          onClick={onDelete}
        >
          {t.delete}
        </Button>
      )}
    </div>
  );
}
