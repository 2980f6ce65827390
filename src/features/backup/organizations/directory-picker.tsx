import type { Failure } from '#contract/errors.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Combobox } from '#src/ui/combobox.tsx';

export interface DirectoryEntry {
  readonly id: string;
  readonly name: string;
  readonly address: string;
}

/** Searches the directory of an organization for one entry. `chosen`: what was chosen, as a sentence. */
export function DirectoryPicker({
  label,
  placeholder,
  error,
  chosen,
  found,
  failure,
  onType,
  onChoose,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly error: string | null;
  readonly chosen: string | null;
  readonly found: readonly DirectoryEntry[];
  readonly failure: Failure | null;
  readonly onType: (text: string) => void;
  readonly onChoose: (entry: DirectoryEntry) => void;
}) {
  return (
    <div className="grid gap-1.5">
      <Combobox
        label={label}
        required
        value=""
        placeholder={placeholder}
        error={error}
        onType={onType}
        options={found.map(({ id, name, address }) => ({
          value: id,
          label: address === '' ? name : `${name} (${address})`,
        }))}
        onChange={(id) => {
          const entry = found.find((one) => one.id === id);
          if (entry) onChoose(entry);
        }}
      />
      {chosen !== null && <p className="m-0 text-ink-2">{chosen}</p>}
      {failure !== null && (
        <p role="alert" className="m-0 text-agate text-failed">
          {getFailureText(failure)}
        </p>
      )}
    </div>
  );
}
