import { useState } from 'react';
import type { InputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { FileCall } from '#workers/api.ts';
import { CallButton } from '#src/call-button.tsx';
import { door } from '#src/door.ts';
import { getFailureText } from '#src/failure-text.ts';
import { withReauth } from '#src/frame/reauth.ts';
import { saveFile } from '#src/ui/save-file.ts';
import { tell, tellFailure } from '#src/ui/toasts.ts';

export interface DownloadProps<N extends FileCall> {
  readonly name: N;
  readonly input: InputOf<N>;
  readonly offline: boolean;
  readonly disabled?: boolean;
}

/** The list as a file, all pages of it, as the server makes it. */
export function Download<N extends FileCall>({
  name,
  input,
  offline,
  disabled = false,
}: DownloadProps<N>) {
  const [busy, setBusy] = useState(false);
  const make = async (): Promise<void> => {
    setBusy(true);
    const made = await withReauth(() => door().file(name, input));
    setBusy(false);
    if (made.ok) {
      saveFile(made.value.name, made.value.file);
      tell(`${made.value.name} is saved.`);
    } else tellFailure(getFailureText(made.failure), () => void make());
  };
  return (
    <CallButton
      call={name}
      size="sm"
      icon="download"
      busy={busy}
      disabled={offline || disabled}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={() => void make()}
    >
      Download CSV
    </CallButton>
  );
}
