import { Button, IconButton } from '#src/ui/button.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { brandingMessages as t } from './messages.en.ts';

export interface RowsFieldProps {
  readonly label: string;
  /** Labels of the two fields of a row. */
  readonly heads: readonly [string, string];
  readonly rows: readonly (readonly [string, string])[];
  /** Returns the error of a row by its index. */
  readonly getErrorAt: (at: number) => string | null;
  readonly add: string;
  readonly onRows: (rows: readonly (readonly [string, string])[]) => void;
}

/** A list of rows with two fields each. */
export function RowsField({
  label,
  heads: [first, second],
  rows,
  getErrorAt: findErrorAt,
  add,
  onRows,
}: RowsFieldProps) {
  const put = (at: number, row: readonly [string, string]): void =>
    onRows(rows.map((old, i) => (i === at ? row : old)));
  return (
    <fieldset className="m-0 grid min-w-0 gap-3 border-0 p-0">
      <legend className="pb-1.5 font-semibold">{label}</legend>
      {rows.map(([one, other], at) => (
        // Rows have no id; they are identified by position.
        <div
          key={at}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 phone:grid-cols-[minmax(0,140px)_minmax(0,1fr)_auto]"
        >
          <div className="col-span-2 phone:col-span-1">
            <TextField
              label={`${first} ${at + 1}`}
              value={one}
              onChange={(event) => put(at, [event.target.value, other])}
            />
          </div>
          <TextField
            label={`${second} ${at + 1}`}
            value={other}
            error={findErrorAt(at)}
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => put(at, [one, event.target.value])}
          />
          <IconButton
            icon="trash"
            label={t.removeRow({ row: at + 1, list: label })}
            className="mb-0.5 self-center"
            onClick={() => onRows(rows.filter((_, i) => i !== at))}
          />
        </div>
      ))}
      <div>
        <Button
          size="sm"
          icon="plus"
          disabled={rows.length >= MAX_ROWS}
          onClick={() => onRows([...rows, ['', '']])}
        >
          {add}
        </Button>
      </div>
    </fieldset>
  );
}

const MAX_ROWS = 30;
