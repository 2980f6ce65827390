import type { ReactNode } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import { Button } from '#src/ui/button.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { formMessages as t } from './messages.en.ts';

/** A section of a form with its heading. */
export function FormPart({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className="m-0 grid min-w-0 gap-3 border-0 p-0">
      <legend className="mb-3 w-full border-b-2 border-head-rule p-0 pb-1 font-semibold">
        {title}
      </legend>
      {children}
    </fieldset>
  );
}

/** Buttons below the form, always visible. */
export function SaveBar({
  label,
  busy,
  dirty,
  offline,
  error,
  onUndo,
  onCancel,
}: {
  readonly label: string;
  readonly busy: boolean;
  readonly dirty: boolean;
  readonly offline: boolean;
  readonly error: string | null;
  readonly onUndo: (() => void) | null;
  /** Leaves the form, if it can be left otherwise than by closing its panel. */
  readonly onCancel?: () => void;
}) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-rule bg-paper px-4 py-3 tablet:px-5">
      {error !== null && (
        <p role="alert" className="m-0 w-full break-words text-failed">
          {error}
        </p>
      )}
      {offline && <p className="m-0 w-full text-warning">{MESSAGES.needsNetwork}</p>}
      <Button variant="primary" type="submit" busy={busy} disabled={offline || !dirty}>
        {label}
      </Button>
      {onCancel && <Button onClick={onCancel}>{ui.cancel}</Button>}
      {onUndo && dirty && (
        <Button variant="quiet" onClick={onUndo}>
          {t.discardChanges}
        </Button>
      )}
    </div>
  );
}

/** The error of a group of fields. */
export function GroupError({ children }: { readonly children: string | undefined }) {
  return children === undefined ? null : <p className="m-0 text-agate text-failed">{children}</p>;
}
