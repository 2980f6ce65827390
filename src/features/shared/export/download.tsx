import type { InputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { FileCall } from '#workers/api.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { canRetry } from '#src/ui/can-retry.ts';
import { saveFile } from '#src/ui/save-file.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { exportMessages as t } from './messages.en.ts';

export interface DownloadProps<N extends FileCall> {
  readonly name: N;
  readonly input: InputOf<N>;
  readonly offline: boolean;
  readonly disabled?: boolean;
}

/** Button to download the complete list as a file that the server creates. */
export function DownloadButton<N extends FileCall>({
  name,
  input,
  offline,
  disabled = false,
}: DownloadProps<N>) {
  const mutation = useServerMutation();
  const make = async (): Promise<void> => {
    const made = await mutation.send(() => withReauth(() => client().file(name, input)));
    if (made.ok) {
      saveFile(made.value.name, made.value.file);
      showSuccess(t.fileSaved({ name: made.value.name }));
    } else
      showFailure(
        getFailureText(made.failure),
        canRetry(made.failure) ? () => void make() : undefined,
      );
  };
  return (
    <CallButton
      call={name}
      size="sm"
      icon="download"
      busy={mutation.busy}
      disabled={offline || disabled}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={() => void make()}
    >
      {t.downloadCsv}
    </CallButton>
  );
}
