import { useId, useRef, useState } from 'react';
import { Button } from '#src/ui/button.tsx';
import { formatBytes } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { RequiredMark } from '#src/ui/required-mark.tsx';
import { zipFolder } from './folder-zip.ts';
import { importMessages as t } from './messages.en.ts';

/** Chooses a ZIP file, or a folder that is sent as one. */
export function FilesField({
  file,
  error,
  onChoose,
}: {
  readonly file: File | null;
  readonly error: string | null;
  readonly onChoose: (file: File) => void;
}) {
  const id = useId();
  const zip = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<'reading' | 'unreadable' | null>(null);
  const below = state === 'unreadable' ? t.folderUnreadable : error;
  return (
    <fieldset className="m-0 grid min-w-0 gap-1.5 border-0 p-0" aria-describedby={`${id}-below`}>
      <legend className="pb-1.5">
        <span className="font-semibold">{t.filesToImport}</span>
        <RequiredMark />
      </legend>
      <div className="flex flex-wrap items-center gap-3">
        <input
          ref={zip}
          type="file"
          hidden
          aria-label={t.chooseZip}
          accept=".zip,application/zip"
          onChange={({ target }) => {
            const chosen = target.files?.[0];
            target.value = '';
            if (chosen === undefined) return;
            setState(null);
            onChoose(chosen);
          }}
        />
        <Button aria-invalid={below !== null} onClick={() => zip.current?.click()}>
          {t.chooseZip}
        </Button>
        <FolderButton
          busy={state === 'reading'}
          onStart={() => setState('reading')}
          onChoose={(chosen) => {
            setState(chosen === null ? 'unreadable' : null);
            if (chosen !== null) onChoose(chosen);
          }}
        />
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
        role={state === 'unreadable' ? 'alert' : undefined}
        className={`m-0 flex items-start gap-1.5 text-agate ${below === null ? 'text-ink-3' : 'text-failed'}`}
      >
        {below !== null && <Icon name="failed" size={12} className="mt-0.5" />}
        {below ?? (state === 'reading' ? t.folderReading : t.filesHint)}
      </p>
    </fieldset>
  );
}

/** Reads a folder of this device. `onChoose`: with null, it can't be read. */
export function FolderButton({
  busy,
  onStart,
  onChoose,
}: {
  readonly busy: boolean;
  readonly onStart: () => void;
  readonly onChoose: (file: File | null) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const take = async (files: readonly File[]): Promise<void> => {
    onStart();
    const name = files[0]?.webkitRelativePath.split('/')[0] ?? '';
    const listed = files.map((file) => ({
      path: file.webkitRelativePath.slice(name.length + 1),
      file,
      modifiedAt: file.lastModified,
    }));
    onChoose(await zipFolder(name, listed).catch(() => null));
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t.chooseFolder}
        {...{ webkitdirectory: '' }}
        onChange={({ target }) => {
          const files = Array.from(target.files ?? []);
          target.value = '';
          if (files.length > 0) void take(files);
        }}
      />
      <Button busy={busy} onClick={() => input.current?.click()}>
        {t.chooseFolder}
      </Button>
    </>
  );
}
