import { useEffect, useState } from 'react';
import type { RunN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Failure } from '#contract/errors.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { Change } from '#contract/runs/change.ts';
import { ofGroup } from '#contract/runs/query.ts';
import type { GroupHead, RunView } from '#contract/runs/query.ts';
import { announce } from '#src/app/shell/announce.tsx';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { showSuccess, showFailure, showWithUndo } from '#src/ui/toasts.ts';
import { listOwnActions, perform, getToastText, getUndoActions } from './run-actions.ts';
import type { Act } from './run-actions.ts';
import type { OpenDialog } from './open-dialog.ts';
import { cursorAt } from './cursor.ts';
import {
  everything,
  extended,
  groupToggled,
  countMatching,
  NO_SELECTION,
  toggled,
} from './selection.ts';
import type { RunList } from './use-run-list.ts';
import { getLines, rowAt, rowsBetween } from './lines.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

/** Actions on results: one row, the selection, or all that match. */
export interface RunActions {
  readonly dialog: OpenDialog | null;
  readonly setDialog: (dialog: OpenDialog | null) => void;
  readonly busy: boolean;
  /** The selection if there is one, otherwise the row under the cursor, otherwise the open one. */
  readonly targets: () => readonly RunN[];
  readonly change: (change: Change, runs: readonly RunN[]) => void;
  /** Reviews the runs, or reopens a single run that is already reviewed. */
  readonly review: (runs: readonly RunN[]) => void;
  readonly openDialog: (
    kind: 'snooze' | 'note' | 'review' | 'ticket',
    runs: readonly RunN[],
  ) => void;
  readonly select: (row: RunView, index: number, range: boolean) => void;
  readonly selectAll: () => Promise<void>;
  /** Returns the runs of a group, including collapsed and unloaded ones. */
  readonly getMembers: (head: GroupHead) => Promise<readonly RunN[]>;
  readonly selectGroup: (head: GroupHead) => Promise<void>;
  readonly getRow: (n: RunN) => RunView | undefined;
}

const MAX_RANGE = 2_000;

export function useRunActions(round: RunList, me: string): RunActions {
  const { view, selection, cursor, list, seen, reach } = round;
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const mutation = useServerMutation();
  const [anchor, setAnchor] = useState<number | null>(null);

  // The rows of the range have been loaded.
  const ranged =
    reach === null ? null : rowsBetween(view, reach.first, reach.first + reach.count - 1);
  const reached = ranged !== null;
  useEffect(() => {
    if (!reached || !ranged) return;
    round.setSelection(extended(selection, chosen(ranged)));
    round.setReach(null);
  }, [reached, ranged, round, selection]);

  const getRow = (n: RunN): RunView | undefined =>
    view?.rows.find((row) => row.n === n) ?? seen.get(n);

  const run = (acts: readonly Act[]): Promise<Result<null>> =>
    mutation.send(async () => {
      const failure = await perform(acts);
      return failure === null ? ok(null) : failed(failure);
    });
  const send = (act: Act): void => {
    const back = getUndoActions(act, seen);
    const only =
      act.runs.length === 1 && act.runs[0] !== undefined ? getRow(act.runs[0]) : undefined;
    run([act]).then(
      (result) =>
        settle(
          result,
          () => send(act),
          () => {
            const details = getToastText(act, only, round.rule.zone);
            if (back === null) showSuccess(details);
            else
              showWithUndo(details, () => {
                run(listOwnActions(back, seen, me)).then(
                  (undone) =>
                    settle(
                      undone,
                      () => {},
                      () => announce(t.undone),
                    ),
                  broke,
                );
              });
          },
        ),
      broke,
    );
  };
  const change = (next: Change, runs: readonly RunN[]): void => {
    if (runs.length === 0) return;
    round.work();
    send({ change: next, runs });
    const bulk = runs.length > 1 || (runs[0] !== undefined && selection.runs.has(runs[0]));
    if (bulk) round.setSelection(NO_SELECTION);
    if (next.kind === 'reopen' || next.kind === 'unsnooze' || view === undefined) return;
    // Moves the focus to the row after the last changed one.
    const affected = new Set(runs);
    const last = getLines(view).findLastIndex(
      (line) => line?.kind === 'row' && affected.has(line.row.n),
    );
    const at =
      cursor !== null && cursor.n !== null && affected.has(cursor.n)
        ? cursor.index
        : last < 0
          ? (cursor?.index ?? -1)
          : view.first + last;
    const to = Math.min(view.lines - 1, at + 1);
    round.setCursor(cursorAt(view, to, (cursor?.step ?? 0) + 1));
    const following = rowAt(view, to);
    if (list.open !== null && affected.has(list.open) && following)
      round.setList({ ...list, open: following.n }, 'replace');
  };

  return {
    dialog,
    setDialog,
    busy: mutation.busy,
    getRow,
    change,
    targets() {
      if (selection.runs.size > 0) return [...selection.runs.keys()];
      const n = cursor?.n ?? list.open;
      return n === null ? [] : [n];
    },
    review(runs) {
      const row = runs.length === 1 && runs[0] !== undefined ? getRow(runs[0]) : undefined;
      if (row && row.problem === null) return showFailure(MESSAGES.nothingToReview);
      if (row?.review === 'cleared')
        return (row.problem?.review ?? row.problem?.exception)
          ? change({ kind: 'reopen' }, runs)
          : showFailure(MESSAGES.problemClosed);
      return change({ kind: 'review', comment: null }, runs);
    },
    openDialog(kind, runs) {
      const row = runs.length === 1 && runs[0] !== undefined ? (getRow(runs[0]) ?? null) : null;
      if (runs.length === 0) return;
      if (row && row.problem === null) return showFailure(MESSAGES.nothingToReview);
      if (kind === 'snooze' && row?.problem?.closedAt != null)
        return showFailure(MESSAGES.problemClosed);
      setDialog({ kind, runs, row });
    },
    select(row, index, range) {
      round.work();
      if (!range || anchor === null) {
        setAnchor(index);
        return round.setSelection(toggled(selection, row));
      }
      const [from, to] = anchor < index ? [anchor, index] : [index, anchor];
      if (to - from >= MAX_RANGE) return showFailure(t.rangeLimit({ count: MAX_RANGE }));
      const rows = rowsBetween(view, from, to);
      if (rows) round.setSelection(extended(selection, chosen(rows)));
      else round.setReach({ first: from, count: to - from + 1 });
    },
    getMembers: (head) =>
      round.filter.group === null
        ? Promise.resolve([])
        : client().matching(ofGroup(round.filter, head)),
    async selectGroup(head) {
      if (round.filter.group === null) return;
      round.work();
      await client()
        .matching(ofGroup(round.filter, head))
        .then((runs) => round.setSelection(groupToggled(selection, head.key, runs)), broke);
    },
    async selectAll() {
      if (view === undefined || view.total === 0) return;
      if (selection.runs.size >= countMatching(view, list.review)) {
        round.setSelection(NO_SELECTION);
        return;
      }
      round.work();
      const companies =
        list.companies.length > 0
          ? list.companies.length
          : view.facets.companies.filter(({ count }) => count > 0).length +
            (view.facets.left?.companies ?? 0);
      await client()
        .matching(round.filter)
        .then((runs) => round.setSelection(everything(runs, companies)), broke);
    },
  };
}

const chosen = (rows: readonly RunView[]) => rows.map(({ n, company }) => ({ n, company }));

/** Failures that can succeed on retry. */
const RETRIED: ReadonlySet<Failure['kind']> = new Set([
  'no-answer',
  'busy',
  'out-of-space',
  'too-many',
  'server-error',
  'needs-network',
  'storage',
]);

const settle = (result: Result<null>, again: () => void, done: () => void): void => {
  if (!result.ok)
    showFailure(
      getFailureText(result.failure),
      RETRIED.has(result.failure.kind) ? again : undefined,
    );
  else done();
};
const broke = (): void => showFailure(MESSAGES.bulk);
