import { useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { DeleteDialog } from '../../shared/delete-dialog.tsx';
import { openFile } from '../download/use-download.ts';
import { downloadsMessages as t } from './messages.en.ts';
import { type BackgroundDownload, isRunning } from './use-downloads.ts';

interface Props {
  readonly download: BackgroundDownload;
  readonly isOffline: boolean;
  readonly onFailure: (failure: Failure | null) => void;
  readonly onChanged: () => void;
}

/** Gets the address of a file, which opens once, and gives it to the browser. */
export function FileButton({
  download,
  part,
  isOffline,
  onFailure,
  onChanged,
}: Props & { readonly part: BackgroundDownload['parts'][number] }) {
  const mutation = useServerMutation();
  const start = async (): Promise<void> => {
    const answer = await mutation.send(() =>
      client().ask('getBackgroundDownloadFile', { id: download.id, part: String(part.n) }),
    );
    onFailure(answer.ok ? null : withReason(answer.failure));
    if (answer.ok) openFile(answer.value);
    // It may have expired since the page was opened.
    else if (answer.failure.kind === 'not-found') onChanged();
  };
  return (
    <CallButton
      call="getBackgroundDownloadFile"
      size="sm"
      icon="download"
      busy={mutation.busy}
      disabled={isOffline}
      aria-label={t.downloadName({ name: part.name })}
      onClick={() => void start()}
    >
      {t.download}
    </CallButton>
  );
}

const withReason = (failure: Failure): Failure =>
  failure.kind === 'not-found' ? { ...failure, message: t.fileGone } : failure;

/** Cancels what is in preparation, or deletes what has ended. */
export function EndButton({
  download,
  isOffline,
  onFailure,
  onChanged,
  onDeleted = onChanged,
}: Props & { readonly onDeleted?: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const mutation = useServerMutation();
  const { id, name } = download;
  const cancel = async (): Promise<void> => {
    const answer = await mutation.send(() =>
      client().ask('cancelBackgroundDownload', { id, action: 'cancel' }),
    );
    onFailure(answer.ok ? null : answer.failure);
    if (answer.ok) showSuccess(t.cancelDone);
    onChanged();
  };
  const remove = async (): Promise<void> => {
    const answer = await client().ask('deleteBackgroundDownload', { id });
    setIsAsking(false);
    onFailure(answer.ok ? null : answer.failure);
    if (!answer.ok) return onChanged();
    showSuccess(t.removed);
    onDeleted();
  };
  if (isRunning(download))
    return (
      <Button
        size="sm"
        icon="stop"
        busy={mutation.busy}
        disabled={isOffline}
        onClick={() => void cancel()}
      >
        {t.cancel}
      </Button>
    );
  return (
    <>
      <Button size="sm" icon="trash" disabled={isOffline} onClick={() => setIsAsking(true)}>
        {ui.delete}
      </Button>
      {isAsking && (
        <DeleteDialog
          title={t.removeTitle}
          confirmLabel={t.removeConfirm}
          name={name}
          consequence={t.removeConsequence}
          onDelete={remove}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
