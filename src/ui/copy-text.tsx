import { IconButton } from './button.tsx';
import { showSuccess, showFailure } from './toasts.ts';
import { uiMessages as t } from './messages.en.ts';

export interface CopyTextProps {
  readonly text: string;
  /** Label of the button. `copied`: the message afterwards. */
  readonly label: string;
  readonly copied: string;
}

/** Text with a copy button. Without clipboard access it can be selected manually. */
export function CopyText({ text, label, copied }: CopyTextProps) {
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      showSuccess(copied);
    } catch {
      showFailure(t.copyBlocked);
    }
  }
  return (
    <div className="flex min-w-0 items-start gap-1 rounded-part bg-wash py-1.5 pr-1 pl-3">
      <code className="min-w-0 grow py-[5px] font-mono text-agate leading-[18px] break-all whitespace-pre-wrap select-all">
        {text}
      </code>
      <IconButton
        icon="copy"
        label={label}
        className="hover:bg-sheet"
        onClick={() => void copy()}
      />
    </div>
  );
}
