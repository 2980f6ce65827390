import { DiscardQuestion } from '../../ui/dialog.tsx';
import { useLeaveBlocker } from '../../ui/use-leave-blocker.ts';

interface Props {
  /** There are unsaved changes. */
  readonly dirty: boolean;
  /** Returns whether a path and its query, without `?`, leave the form. By default each does. */
  readonly leaves?: (path: string, query: string) => boolean;
}

/** Asks before leaving unsaved changes: by a link, by closing the form, or with the tab. */
export function UnsavedQuestion({ dirty, leaves }: Props) {
  const leaving = useLeaveBlocker(dirty, leaves);
  if (leaving.status !== 'blocked') return null;
  return <DiscardQuestion onDiscard={leaving.proceed} onKeep={leaving.reset} />;
}
