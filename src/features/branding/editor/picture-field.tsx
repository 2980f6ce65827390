import { useId, useRef, useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import { imageUrl } from '#src/app/shell/branding/apply-branding.ts';
import { Button } from '#src/ui/button.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { readPicture } from './read-picture.ts';
import type { ChosenPicture, PictureName } from './draft.ts';
import { brandingMessages as t } from './messages.en.ts';

export interface PictureFieldProps {
  readonly name: PictureName;
  readonly label: string;
  readonly hint: string;
  /**
   * The current image; null if there is none, or if it is on another host and cannot be displayed.
   */
  readonly present: string | null;
  readonly elsewhere: boolean;
  readonly chosen: ChosenPicture | 'none' | undefined;
  readonly dark: boolean;
  readonly onChoose: (chosen: ChosenPicture | 'none' | undefined) => void;
}

/** An image of the portal. It is selected here and uploaded when the form is saved. */
export function PictureField({
  name,
  label,
  hint,
  present,
  elsewhere,
  chosen,
  dark,
  onChoose,
}: PictureFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string | null>(null);
  const shown = chosen === 'none' ? null : (chosen?.url ?? (elsewhere ? null : imageUrl(present)));
  const some = chosen === undefined ? present !== null : chosen !== 'none';
  async function take(file: File | undefined): Promise<void> {
    if (!file) return;
    setError(null);
    const read = await readPicture(name, file);
    setError(typeof read === 'string' ? read : null);
    if (typeof read !== 'string') onChoose(read);
  }
  return (
    <div className="grid gap-1.5">
      <span id={id} className="font-semibold">
        {label}
      </span>
      <div className="flex flex-wrap items-center gap-3">
        <span
          className={`grid h-12 w-24 shrink-0 place-items-center overflow-hidden rounded-part border border-rule ${dark ? 'bg-side text-side-ink-2' : 'bg-paper text-ink-3'}`}
        >
          {shown === null ? (
            <span className="px-1 text-center text-agate">
              {some ? t.imageElsewhere : t.imageNone}
            </span>
          ) : (
            <img src={shown} alt="" className="max-h-10 max-w-20 object-contain" />
          )}
        </span>
        <input
          ref={input}
          type="file"
          hidden
          aria-labelledby={id}
          data-picture={name}
          accept={`image/png,image/svg+xml,image/webp${name === 'favicon' ? ',image/x-icon,.ico' : ''}`}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        <Button
          size="sm"
          aria-describedby={`${id}-below`}
          aria-label={`${some ? t.replace : t.chooseFile}: ${label}`}
          onClick={() => input.current?.click()}
        >
          {some ? t.replace : t.chooseFile}
        </Button>
        {some && (
          <Button
            size="sm"
            variant="quiet"
            aria-label={t.removeImage({ image: label })}
            onClick={() => {
              setError(null);
              onChoose(present === null ? undefined : 'none');
            }}
          >
            {uiMessages.remove}
          </Button>
        )}
        {chosen !== undefined && chosen !== 'none' && present !== null && (
          <Button size="sm" variant="quiet" onClick={() => onChoose(undefined)}>
            {t.keepCurrent}
          </Button>
        )}
      </div>
      <p
        id={`${id}-below`}
        role={error === null ? undefined : 'alert'}
        className={`m-0 flex items-start gap-1.5 text-agate ${error === null ? 'text-ink-3' : 'text-failed'}`}
      >
        {error !== null && <Icon name="failed" size={12} className="mt-0.5" />}
        {error ?? hint}
      </p>
    </div>
  );
}
