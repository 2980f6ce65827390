import { useBlocker } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { unsavedMessages as t } from './unsaved-question.messages.en.ts';

/**
 * Asks before leaving a page with unsaved changes, also when the tab is closed. Render it on the
 * page. `dirty`: there are unsaved changes.
 */
export function UnsavedQuestion({ dirty }: { readonly dirty: boolean }) {
  const leaving = useBlocker({
    shouldBlockFn: () => dirty,
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  if (leaving.status !== 'blocked') return null;
  return (
    <Dialog
      title={t.title}
      onClose={leaving.reset}
      footer={
        <>
          <Button variant="danger" onClick={leaving.proceed}>
            {t.discard}
          </Button>
          <Button onClick={leaving.reset}>{t.keepEditing}</Button>
        </>
      }
    >
      <p className="m-0 px-5 py-4">{t.unsaved}</p>
    </Dialog>
  );
}
