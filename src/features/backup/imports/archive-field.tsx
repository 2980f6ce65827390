import { useId, useRef } from 'react';
import { Button } from '#src/ui/button.tsx';
import { formatBytes } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { RequiredMark } from '#src/ui/required-mark.tsx';
import { importMessages as t } from './messages.en.ts';

/** Chooses a file of this device. */
export function ArchiveField({
  file,
  error,
  onChoose,
}: {
  readonly file: File | null;
  readonly error: string | null;
  readonly onChoose: (file: File) => void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="grid gap-1.5">
      <span>
        <span id={id} className="font-semibold">
          {t.archive}
        </span>
        <RequiredMark />
      </span>
      <div className="flex flex-wrap items-center gap-3">
        <ArchiveInput label={id} input={input} onChoose={onChoose} />
        <Button
          aria-label={`${t.chooseArchive}: ${t.archive}`}
          aria-describedby={`${id}-below`}
          aria-invalid={error !== null}
          onClick={() => input.current?.click()}
        >
          {t.chooseArchive}
        </Button>
        <span className="min-w-0 break-all">
          {file === null ? (
            <span className="text-ink-3">{t.noFile}</span>
          ) : (
            <>
              {file.name} <span className="text-ink-3">{formatBytes(file.size)}</span>
            </>
          )}
        </span>
      </div>
      <p
        id={`${id}-below`}
        className={`m-0 flex items-start gap-1.5 text-agate ${error === null ? 'text-ink-3' : 'text-failed'}`}
      >
        {error !== null && <Icon name="failed" size={12} className="mt-0.5" />}
        {error ?? t.archiveHint}
      </p>
    </div>
  );
}

/** The browser's own field, which is hidden behind a button. `label`: id of its label. */
export function ArchiveInput({
  label,
  input,
  onChoose,
}: {
  readonly label: string;
  readonly input: { readonly current: HTMLInputElement | null };
  readonly onChoose: (file: File) => void;
}) {
  return (
    <input
      ref={input}
      type="file"
      hidden
      aria-labelledby={label}
      accept=".pst,.ost,.mbox,.eml,.zip,application/mbox,message/rfc822,application/zip"
      onChange={({ target }) => {
        const file = target.files?.[0];
        target.value = '';
        if (file) onChoose(file);
      }}
    />
  );
}
