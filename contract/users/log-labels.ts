import type { UserLogLine } from './log-calls.ts';
import { logLabels, restoreEndLabels as t } from './log-labels.messages.en.ts';

/**
 * Returns the description of a kind. A kind without one is described by its name:
 * `device.forgotten` is "Device forgotten".
 */
export function getEventLabel(what: string): string {
  const said =
    (logLabels as Readonly<Record<string, string>>)[what] ?? what.replaceAll(/[.-]/g, ' ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** Returns the description of a line: of its kind, or what a restore did. */
export function getSentence({ what, restore }: Pick<UserLogLine, 'what' | 'restore'>): string {
  if (restore === undefined) return getEventLabel(what);
  const { kind, restored, merged, skipped, failed } = restore;
  const counts = [
    ...(kind === 'undo'
      ? [count(restored + merged, t.undone)]
      : [count(restored, t.restored), count(merged, t.merged)]),
    count(skipped, t.skipped),
    count(failed, t.failed),
  ].filter((text) => text !== null);
  return getText(restore)({
    organization: restore.organization ?? t.unknownOrganization,
    counts: counts.length === 0 ? t.nothing : counts.join(', '),
  });
}

function getText({ kind, result }: NonNullable<UserLogLine['restore']>) {
  const isUndo = kind === 'undo';
  if (result === 'failed') return isUndo ? t.undoFailed : t.restoreFailed;
  if (result === 'cancelled') return isUndo ? t.undoStopped : t.restoreStopped;
  return isUndo ? t.undoEnded : t.restoreEnded;
}

const count = (n: number, write: (input: { readonly count: number }) => string): string | null =>
  n === 0 ? null : write({ count: n });
