import type { ItemOutcome, ItemResult, EngineTask } from '#contract/engine/engine.ts';
import type { SessionResult } from '#contract/engine/sessions.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { Vb365RestoreAnswer, Vb365Statistics } from './shapes.ts';

/** How a restore ended, or how far it is. */
export interface RestoreOutcome {
  readonly counts: EngineTask['counts'];
  readonly results: readonly ItemResult[];
  /** Why the whole of it could not continue. */
  readonly problem: string | null;
}

/** Lowercase, since the versions write them differently. */
const OUTCOMES: Readonly<Record<string, ItemOutcome>> = {
  success: 'restored',
  warning: 'restored',
  failed: 'failed',
  skipped: 'skipped',
};

/** Version 8. Items that it only counts are one result for each outcome. */
export function readStatistics(statistics: Vb365Statistics): RestoreOutcome {
  const results = statistics.items.flatMap((item) => {
    const children = item.childItems ?? [];
    return (children.length === 0 ? [item] : children).map((one): ItemResult => {
      const outcome = OUTCOMES[(one.status ?? '').toLowerCase()] ?? 'failed';
      const message =
        one.error || one.cannotContinueMailboxError || one.warnings?.find(Boolean) || null;
      return { name: one.title || one.name || '', path: one.path ?? '', outcome, message };
    });
  });
  const counts = {
    restored: statistics.restoredItemsCount,
    merged: 0,
    skipped: statistics.skippedItemsCount,
    failed: statistics.failedItemsCount,
  };
  return { counts, results: withOthers(results, counts), problem: statistics.errors?.[0] ?? null };
}

/** Of a whole site, version 7 counts lists and sites. */
const getParts = (lists: number | null = 0, webs: number | null = 0): number =>
  (lists ?? 0) + (webs ?? 0);

/** Version 7 answers a restore with its statistics once it has ended. */
export function readAnswer(answer: Vb365RestoreAnswer): RestoreOutcome {
  const counts = {
    restored:
      (answer.createdItemsCount ?? 0) +
      (answer.restoredItemsCount ?? getParts(answer.restoredListsCount, answer.restoredWebsCount)),
    merged: answer.mergedItemsCount ?? 0,
    skipped:
      (answer.skippedItemsCount ?? 0) +
      (answer.skippedItemsByErrorCount ?? 0) +
      (answer.skippedItemsByNoChangesCount ?? 0),
    failed: answer.failedItemsCount ?? getParts(answer.failedListsCount, answer.failedWebsCount),
  };
  const issues = (answer.restoreIssues ?? []).map(
    ({ title, name, path, error, warnings }): ItemResult => ({
      name: title || name || '',
      path: path ?? '',
      outcome: error ? 'failed' : 'restored',
      message: error || warnings?.[0] || null,
    }),
  );
  const failures = (answer.exceptions ?? []).map((message): ItemResult => ({
    name: '',
    path: '',
    outcome: 'failed',
    message,
  }));
  return {
    counts,
    results: withOthers([...issues, ...failures], counts),
    problem: answer.cannotContinueError || null,
  };
}

/** Adds what was counted and not named, so that the sum is that of the counts. */
function withOthers(
  named: readonly ItemResult[],
  counts: EngineTask['counts'],
): readonly ItemResult[] {
  const others = (Object.keys(counts) as ItemOutcome[]).flatMap((outcome) => {
    const known = named.filter((one) => one.outcome === outcome).length;
    const left = counts[outcome] - known;
    return left <= 0
      ? []
      : [{ name: t.others({ count: left }), path: '', outcome, message: null } as const];
  });
  return [...named, ...others];
}

/** `wasStopped`: a user has stopped it. */
export function getTaskResult(
  { counts, problem }: Pick<RestoreOutcome, 'counts' | 'problem'>,
  wasStopped: boolean,
): SessionResult {
  if (wasStopped) return 'cancelled';
  const written = counts.restored + counts.merged;
  if (problem !== null || counts.failed > 0) return written > 0 ? 'warning' : 'failed';
  return 'success';
}
