import { DiscardQuestion } from '#src/ui/dialog.tsx';
import { useLeaveBlocker } from '#src/ui/use-leave-blocker.ts';

export interface LeaveProps {
  readonly dirty: boolean;
  /** Returns whether a path and its query, without `?`, leave the form. */
  readonly leaves: (path: string, query: string) => boolean;
}

/** Asks before leaving a form with unsaved changes: by a link, by closing the form or the page. */
export function LeaveQuestion({ dirty, leaves }: LeaveProps) {
  const leaving = useLeaveBlocker(dirty, leaves);
  if (leaving.status !== 'blocked') return null;
  return <DiscardQuestion onDiscard={leaving.proceed} onKeep={leaving.reset} />;
}
