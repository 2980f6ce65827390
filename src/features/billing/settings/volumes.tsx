import { getFailureText } from '#src/app/failure-text.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { formatBytes } from '#src/ui/format.ts';
import { billingSettingsMessages as t } from './messages.en.ts';

/** The volumes of the provider's SolarWinds server, or why there are none (BILL-18). */
export function Volumes({ offline }: { readonly offline: boolean }) {
  const { value, failure, isLoading, again } = useCachedQuery('listBackupVolumes', EMPTY);
  return (
    <FormSection wide title={t.volumes} description={t.volumesHint}>
      {failure !== null && !offline && (
        <Callout tone="failed" alert>
          {getFailureText(failure)}
        </Callout>
      )}
      {value !== null && value.rows.length === 0 && (
        <p className="m-0 text-ink-2">{value.reason ?? t.noVolumes}</p>
      )}
      {value !== null && value.rows.length > 0 && (
        <ul aria-label={t.volumes} className="m-0 list-none border-t border-rule p-0">
          {value.rows.map(({ id, node, name, sizeBytes, usedBytes }) => (
            <li
              key={id}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-3 border-b border-hair py-2"
            >
              <span className="min-w-0">
                <span className="block font-semibold break-words">{name}</span>
                <span className="block text-agate break-words text-ink-3">{node}</span>
              </span>
              <span className="text-right text-ink-2 tabular-nums">
                {t.usedOf({ used: formatBytes(usedBytes), size: formatBytes(sizeBytes) })}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button size="sm" icon="history" busy={isLoading} disabled={offline} onClick={again}>
          {t.refreshVolumes}
        </Button>
      </div>
    </FormSection>
  );
}

const EMPTY = {};
