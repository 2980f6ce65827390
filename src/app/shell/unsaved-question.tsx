import { DiscardQuestion } from '../../ui/dialog.tsx';
import { useLeaveBlocker } from '../../ui/use-leave-blocker.ts';

/**
 * Asks before leaving a page with unsaved changes, also when the tab is closed. Render it on the
 * page. `dirty`: there are unsaved changes.
 */
export function UnsavedQuestion({ dirty }: { readonly dirty: boolean }) {
  const leaving = useLeaveBlocker(dirty);
  if (leaving.status !== 'blocked') return null;
  return <DiscardQuestion onDiscard={leaving.proceed} onKeep={leaving.reset} />;
}
