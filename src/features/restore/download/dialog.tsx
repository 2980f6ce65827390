import { useId } from 'react';
import type { DownloadFormat } from '#contract/engine/downloads.ts';
import { ok } from '#contract/result.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Check } from '#src/ui/check.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { useCapabilities } from '../capabilities.ts';
import type { ChosenNodes } from '../task/draft.ts';
import type { WorkloadKind } from '../workload.ts';
import { restoreDownloadMessages as t } from './messages.en.ts';
import { getSizeText } from './size-text.ts';
import type { DownloadOptions } from './use-download.ts';

/** PST, mbox and MSG files are always made in the background. */
const isMadeInBackground = (format: DownloadOptions['format']): boolean => format !== 'zip';

/** Asks for the format, tells the size, and whether to prepare the file in the background. */
export function DownloadDialog({
  kind,
  session,
  chosen,
  onStart,
  onClose,
}: {
  readonly kind: WorkloadKind;
  readonly session: string;
  readonly chosen: ChosenNodes;
  readonly onStart: (options: DownloadOptions) => void;
  readonly onClose: () => void;
}) {
  const name = useId();
  const { mailFormats, downloadsNow } = useCapabilities();
  const formats = mailFormats[chosen.level === 'items' ? 'items' : 'folders'].filter(isOffered);
  const isOffline = useWatch('status', EMPTY)?.kind === 'offline';
  // How much is chosen, as the server counts it.
  const { value: size, failure } = useQuery(SIZE_CALLS[kind], {
    restoreSessionId: session,
    nodes: [...chosen.nodes],
  });
  const getForced = (format: DownloadOptions['format']): boolean =>
    !downloadsNow || isMadeInBackground(format);
  const { form, change, error, busy, formRef, save } = useDraftForm({
    initial: { format: kind === 'outlook' ? (formats[0] ?? 'zip') : 'zip', inBackground: false },
    offline: isOffline,
    schema: makeReadingSchema(({ format, inBackground }: DownloadOptions) => ({
      value: { format, inBackground: getForced(format) || inBackground },
    })),
    submit: (options) => Promise.resolve(ok(options)),
    onSaved: onStart,
  });
  const isForced = getForced(form.format);
  return (
    <FormDialog
      title={t.title}
      submitLabel={t.download}
      busy={busy}
      error={isOffline ? null : error}
      formRef={formRef}
      onClose={onClose}
      onSubmit={save}
    >
      {isOffline && <Callout tone="warning">{t.offline}</Callout>}
      {kind === 'outlook' && (
        <fieldset className="m-0 border-0 p-0">
          <legend className="p-0 pb-1 font-semibold">{t.format}</legend>
          {formats.map((value) => (
            <Choice
              key={value}
              name={name}
              checked={form.format === value}
              title={t[value]}
              detail={downloadsNow ? t[`${value}Hint`] : t[`${value}HintServer`]}
              onChoose={() => change({ format: value })}
            />
          ))}
        </fieldset>
      )}
      {kind === 'teams' && (
        <p className="m-0 text-ink-2">{downloadsNow ? t.teamsHint : t.teamsHintServer}</p>
      )}
      <output className="block text-ink-2">
        {failure !== null
          ? getFailureText(failure)
          : size === null
            ? t.measuring
            : getSizeText(size, chosen, { countsAll: downloadsNow })}
      </output>
      <Check
        checked={isForced || form.inBackground}
        disabled={isForced}
        title={t.background}
        detail={
          downloadsNow ? (isForced ? t.backgroundForced : t.backgroundHint) : t.backgroundServer
        }
        onChange={(inBackground) => change({ inBackground })}
      />
    </FormDialog>
  );
}

const isOffered = (format: DownloadFormat): format is DownloadOptions['format'] => format !== 'eml';

const SIZE_CALLS = {
  outlook: 'getMailDownloadSize',
  onedrive: 'getDriveDownloadSize',
  sharepoint: 'getSiteDownloadSize',
  teams: 'getTeamDownloadSize',
} as const satisfies Record<WorkloadKind, string>;

const EMPTY = {};
