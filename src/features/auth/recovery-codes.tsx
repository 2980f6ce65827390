import { useEffect, useState } from 'react';
import { Button } from '#src/ui/button.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { accountMessages as t } from './messages.en.ts';

export interface RecoveryCodesProps {
  readonly codes: readonly string[];
  /** The portal's name, for the file name. */
  readonly portal: string;
  readonly action: string;
  readonly onSaved: () => void;
}

/** Recovery codes, shown once. The user can copy or download them before continuing. */
export function RecoveryCodes({ codes, portal, action, onSaved }: RecoveryCodesProps) {
  const [stored, setStored] = useState(false);
  const [details, setResult] = useState('');
  const text = `${t.recoveryCodesFile({ portal })}\n\n${codes.join('\n')}\n`;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setResult(t.codesCopied);
    } catch {
      setResult(t.copyBlocked);
    }
  }
  function download(): void {
    const link = document.createElement('a');
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.href = url;
    link.download = 'recovery-codes.txt';
    link.click();
    URL.revokeObjectURL(url);
    setResult(t.codesSaved);
  }

  return (
    <div className="grid gap-4">
      <ol
        aria-label={t.recoveryCodes}
        className="m-0 grid list-none grid-cols-2 gap-x-4 gap-y-1 rounded-part bg-wash p-3 font-mono text-agate select-all"
      >
        {codes.map((code) => (
          <li key={code} className="whitespace-nowrap">
            {code}
          </li>
        ))}
      </ol>
      <div>
        <div className="flex flex-wrap gap-2">
          <Button icon="copy" onClick={() => void copy()}>
            {ui.copy}
          </Button>
          <Button icon="download" onClick={download}>
            {ui.download}
          </Button>
        </div>
        <output className="mt-2 block text-ink-2 empty:mt-0">{details}</output>
      </div>
      <label className="flex min-h-9 cursor-pointer items-center gap-3 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={stored}
          onChange={(event) => setStored(event.target.checked)}
          className="m-0 size-4 accent-accent"
        />
        {t.codesStored}
      </label>
      <Button variant="primary" className="h-10 w-full" disabled={!stored} onClick={onSaved}>
        {action}
      </Button>
    </div>
  );
}
