import { formatList } from '#contract/i18n/list.ts';
import { useState } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { Tabs } from '#src/ui/tabs.tsx';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { getPropertyLabel, isFileOrRow, type ShownState, ProductionMark } from './state-mark.tsx';
import { type ComparedRow, MAX_ROWS, useFolderComparison } from './use-folder-comparison.ts';
import { compareMessages as t } from './messages.en.ts';

const RESULTS = ['deleted', 'changed', 'moved', 'same'] as const satisfies ShownState[];
const LABELS: Readonly<Record<ShownState, string>> = {
  deleted: t.missing,
  changed: t.changed,
  moved: t.moved,
  same: t.same,
};

/** The items of a folder beside what Microsoft 365 has now: counts and lists. */
export function FolderComparison({
  session,
  folder,
  name,
  onOpen,
  onRestore,
  onClose,
}: {
  readonly session: string;
  readonly folder: string;
  readonly name: string;
  readonly onOpen: (item: string) => void;
  readonly onRestore: (rows: readonly ComparedRow[]) => void;
  readonly onClose: () => void;
}) {
  const isTablet = useIsTablet();
  const [chosen, setChosen] = useState<ShownState>('deleted');
  const { rows, counts, total, failure, isDone, isRunning, pause, start } = useFolderComparison(
    session,
    folder,
  );
  const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const restorable = rows
    .filter(({ state }) => state === 'deleted' || state === 'changed')
    .slice(0, LIMITS.restoreNodes);
  const shown = rows.filter(({ state }) => state === chosen);
  return (
    <Dialog
      title={t.folderTitle({ name })}
      place={isTablet ? 'middle' : 'bottom'}
      wide
      onClose={onClose}
      footer={
        <>
          <Button
            variant="primary"
            disabled={restorable.length === 0}
            data-tip={restorable.length === 0 ? t.nothingToRestore : undefined}
            onClick={() => onRestore(restorable)}
          >
            {t.restore({ count: restorable.length })}
          </Button>
          {isRunning ? (
            <Button onClick={pause}>{t.pause}</Button>
          ) : (
            !isDone && failure === null && <Button onClick={start}>{t.continue}</Button>
          )}
        </>
      }
    >
      <div className="grid gap-3 px-5 py-3">
        <output className="block text-ink-2">
          {isDone
            ? t.done({ total: done })
            : total === null
              ? failure === null
                ? t.comparing
                : ''
              : t.progress({ done: formatCount(done), total: formatCount(total) })}
          {!isRunning && !isDone && failure === null && ` · ${t.paused}`}
        </output>
        {failure !== null && (
          <RetryCallout failure={failure} onRetry={start}>
            {getFailureText(failure)}
          </RetryCallout>
        )}
        <Tabs
          label={t.counts}
          tabs={RESULTS.map((key) => ({
            key,
            label: LABELS[key],
            count: counts[key],
          }))}
          chosen={chosen}
          onChoose={setChosen}
        >
          {shown.length === 0 ? (
            <p className="m-0 py-3 text-ink-3">{isDone ? t.noItems : t.noneYet}</p>
          ) : (
            <ul className="m-0 list-none p-0">
              {shown.slice(0, MAX_ROWS).map((row) => (
                <Row key={row.id} row={row} onOpen={() => onOpen(row.id)} />
              ))}
            </ul>
          )}
          {counts[chosen] > MAX_ROWS && (
            <p className="m-0 py-2 text-ink-3">{t.more({ count: counts[chosen] - MAX_ROWS })}</p>
          )}
        </Tabs>
      </div>
    </Dialog>
  );
}

function Row({ row, onOpen }: { readonly row: ComparedRow; readonly onOpen: () => void }) {
  const zone = useZone();
  const names = row.differing.map((name) => getPropertyLabel(name, isFileOrRow(row.kind)));
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair py-2">
      <button
        type="button"
        className="min-w-0 truncate text-left font-semibold text-accent pointer-coarse:min-h-11"
        onClick={onOpen}
      >
        {row.name || t.noSubject}
      </button>
      <ProductionMark state={row.state} />
      <span className="min-w-0 truncate text-agate text-ink-2">
        {[row.people, row.at === null ? '' : formatWhen(row.at, zone)]
          .filter((part) => part !== '')
          .join(' · ')}
      </span>
      <span className="text-right text-agate text-ink-2">
        {names.length > 0 && t.differsIn({ names: formatList(names, 'plain') })}
      </span>
    </li>
  );
}
