import type { RetentionType } from '#contract/backup/retention.ts';
import { Choice } from '#src/ui/choice.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** Whether a period counts for restore points or for items. It can't be changed later. */
export function RetentionTypeField({
  value,
  onChange,
}: {
  readonly value: RetentionType;
  readonly onChange: (value: RetentionType) => void;
}) {
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="pb-1 font-semibold">{t.retentionType}</legend>
      <Choice
        name="retentionType"
        checked={value === 'SnapshotBased'}
        title={t.snapshotBased}
        detail={t.snapshotBasedHint}
        onChoose={() => onChange('SnapshotBased')}
      />
      <Choice
        name="retentionType"
        checked={value === 'ItemLevel'}
        title={t.itemLevel}
        detail={t.itemLevelHint}
        onChoose={() => onChange('ItemLevel')}
      />
    </fieldset>
  );
}
