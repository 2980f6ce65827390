import type { FileVersions } from '#contract/backup/jobs.ts';
import { Select } from '#src/ui/select.tsx';
import { fileVersionsLabel } from '../labels.ts';
import { jobWizardMessages as t } from './messages.en.ts';

const OFFERED = [5, 10, 25, 50, 100, 500];

/** How many earlier versions of each file a job backs up. A number that isn't offered stays a choice. */
export function VersionHistory({
  value,
  onChange,
}: {
  readonly value: FileVersions;
  readonly onChange: (value: FileVersions) => void;
}) {
  const numbers = [...new Set([...OFFERED, ...(typeof value === 'number' ? [value] : [])])];
  const values: readonly FileVersions[] = ['none', ...numbers.toSorted((a, b) => a - b), 'all'];
  return (
    <div className="grid gap-1.5">
      <Select
        block
        label={t.fileVersions}
        value={String(value)}
        options={values.map((one) => ({ value: String(one), label: fileVersionsLabel(one) }))}
        onChange={(chosen) => {
          const found = values.find((one) => String(one) === chosen);
          if (found !== undefined) onChange(found);
        }}
      />
      <p className="m-0 text-agate text-ink-3">{t.fileVersionsHint}</p>
    </div>
  );
}
