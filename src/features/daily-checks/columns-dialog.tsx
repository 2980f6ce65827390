import { Button, IconButton } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Switch } from '#src/ui/switch.tsx';
import {
  changedColumn,
  COLUMNS,
  DEFAULT_COLUMNS,
  isDefault,
  MAX_WIDTH,
  movedColumn,
} from '../shared/runs/columns.ts';
import type { Column } from '../shared/runs/columns.ts';
import type { ColumnChoice } from './use-columns.ts';
import { dailyChecksMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

/** Order, width and pinning of the columns. Changes are saved for the user at once. */
export function ColumnsDialog({
  choice,
  onClose,
}: {
  readonly choice: ColumnChoice;
  readonly onClose: () => void;
}) {
  const { columns, dense, setColumns, setDense } = choice;
  const shown = columns.filter((one) => one.shown).length;
  return (
    <Dialog
      title={t.columns}
      wide
      onClose={onClose}
      footer={
        <>
          <Button variant="primary" onClick={onClose}>
            {uiMessages.done}
          </Button>
          <Button
            variant="quiet"
            disabled={isDefault(columns)}
            onClick={() => setColumns(DEFAULT_COLUMNS)}
          >
            {t.resetColumns}
          </Button>
        </>
      }
    >
      <div className="mx-5 border-b border-hair py-3">
        <Switch label={t.denseRows} detail={t.denseRowsHint} on={dense} onChange={setDense} />
      </div>
      <ol className="m-0 list-none px-5 pb-4">
        {columns.map((column, i) => (
          <Line
            key={column.id}
            column={column}
            first={i === 0}
            last={i === columns.length - 1}
            only={column.shown && shown === 1}
            onChange={(change) => setColumns(changedColumn(columns, column.id, change))}
            onMove={(by) => setColumns(movedColumn(columns, column.id, by))}
          />
        ))}
      </ol>
    </Dialog>
  );
}

interface LineProps {
  readonly column: Column;
  readonly first: boolean;
  readonly last: boolean;
  readonly only: boolean;
  readonly onChange: (change: Partial<Omit<Column, 'id'>>) => void;
  readonly onMove: (by: number) => void;
}

function Line({
  column: { id, shown, width, locked },
  first,
  last,
  only,
  onChange,
  onMove,
}: LineProps) {
  const { label, wide, min } = COLUMNS[id];
  return (
    <li className="flex flex-wrap items-center gap-x-3 border-b border-hair py-1">
      <label className="flex min-h-8 min-w-44 grow cursor-pointer items-center gap-2.5 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={shown}
          disabled={only}
          onChange={(event) => onChange({ shown: event.target.checked })}
          className="size-4 accent-accent"
        />
        {label}
      </label>
      <label className="flex items-center gap-2 text-ink-3">
        {t.width}
        <input
          type="number"
          min={min}
          max={MAX_WIDTH}
          step={4}
          value={width ?? ''}
          placeholder={String(wide)}
          aria-label={t.columnWidth({ column: label })}
          disabled={!shown}
          onChange={(event) =>
            onChange({ width: event.target.value === '' ? null : Number(event.target.value) })
          }
          onBlur={(event) => {
            if (event.target.value !== '')
              onChange({ width: Math.min(MAX_WIDTH, Math.max(min, Number(event.target.value))) });
          }}
          className="h-7 w-16 rounded-part border border-control bg-sheet px-1.5 text-ink tabular-nums placeholder:text-ink-3 placeholder:opacity-100 pointer-coarse:h-11"
        />
      </label>
      <label className="flex min-h-8 cursor-pointer items-center gap-2 text-ink-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={locked}
          disabled={!shown}
          onChange={(event) => onChange({ locked: event.target.checked })}
          className="size-4 accent-accent"
        />
        {t.locked}
      </label>
      <span className="flex">
        <IconButton
          icon="chevron-up"
          label={t.moveLeft({ column: label })}
          disabled={first}
          onClick={() => onMove(-1)}
        />
        <IconButton
          icon="chevron-down"
          label={t.moveRight({ column: label })}
          disabled={last}
          onClick={() => onMove(1)}
        />
      </span>
    </li>
  );
}
