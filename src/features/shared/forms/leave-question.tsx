import { useBlocker } from '@tanstack/react-router';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { unsavedMessages as t } from '#src/app/shell/unsaved-question.messages.en.ts';

export interface LeaveProps {
  readonly dirty: boolean;
  /** Returns whether a path and its query, without `?`, leave the form. */
  readonly leaves: (path: string, query: string) => boolean;
}

/** Asks before leaving a form with unsaved changes: by a link, by closing the form or the page. */
export function LeaveQuestion({ dirty, leaves }: LeaveProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) =>
      dirty &&
      leaves(
        next.pathname,
        new URLSearchParams(
          Object.entries(next.search).map(([key, value]) => [key, String(value)]),
        ).toString(),
      ),
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      title={t.title}
      onClose={blocker.reset}
      footer={
        <>
          <Button variant="danger" onClick={blocker.proceed}>
            {t.discard}
          </Button>
          <Button onClick={blocker.reset}>{t.keepEditing}</Button>
        </>
      }
    >
      <p className="m-0 px-5 py-4 text-ink-2">{t.unsaved}</p>
    </Dialog>
  );
}
