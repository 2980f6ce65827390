import type { LogLine } from './log-calls.ts';
import { logLabels, restoreEndLabels as t } from './log-labels.messages.en.ts';

/**
 * Returns the description of a kind. A kind without one is described by its name:
 * `device.forgotten` is "Device forgotten".
 */
export function getWords(what: string): string {
  const said =
    (logLabels as Readonly<Record<string, string>>)[what] ?? what.replaceAll(/[.-]/g, ' ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** Returns the description of a line: of its kind, or what a restore did. */
export function getSentence({ what, restore }: Pick<LogLine, 'what' | 'restore'>): string {
  if (restore === undefined) return getWords(what);
  const { kind, result, restored, merged, skipped, failed } = restore;
  const counts = [
    ...(kind === 'undo'
      ? [count(restored + merged, t.undone)]
      : [count(restored, t.restored), count(merged, t.merged)]),
    count(skipped, t.skipped),
    count(failed, t.failed),
  ].filter((text) => text !== null);
  return TEXTS[kind][result]({
    organization: restore.organization ?? t.unknownOrganization,
    counts: counts.length === 0 ? t.nothing : counts.join(', '),
  });
}

const TEXTS = {
  restore: {
    success: t.restoreEnded,
    warning: t.restoreEnded,
    failed: t.restoreFailed,
    cancelled: t.restoreStopped,
  },
  undo: {
    success: t.undoEnded,
    warning: t.undoEnded,
    failed: t.undoFailed,
    cancelled: t.undoStopped,
  },
} as const;

const count = (n: number, write: (input: { readonly count: number }) => string): string | null =>
  n === 0 ? null : write({ count: n });
