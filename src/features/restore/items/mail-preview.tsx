import { useEffect, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { formatBytes } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { itemMessages as t } from './messages.en.ts';

export interface MailPreviewProps {
  readonly session: string;
  readonly mailbox: string;
  readonly item: string;
  readonly subject: string;
  /** Mails are shown as soon as they are opened. */
  readonly isOn: boolean;
  readonly onTurn: (isOn: boolean) => void;
  readonly onRead: (result: Result<unknown>) => void;
}

/** The text of a mail in a frame that runs and loads nothing, and its attachments. */
export function MailPreview(props: MailPreviewProps) {
  const { isOn, onTurn, subject } = props;
  const { preview, failure, retry } = usePreview(props);
  if (!isOn)
    return (
      <div className="flex flex-wrap items-center gap-3 px-4 pb-5 tablet:px-5">
        <Button icon="eye" onClick={() => onTurn(true)}>
          {t.showMail}
        </Button>
        <span className="text-agate text-ink-3">{t.showMailHint}</span>
      </div>
    );
  return (
    <div className="flex min-h-80 grow flex-col px-4 pb-4 tablet:px-5">
      {failure !== null && <RetryCallout onRetry={retry}>{getFailureText(failure)}</RetryCallout>}
      {failure === null && (
        <div className="flex min-h-0 grow flex-col overflow-hidden rounded-part border border-rule">
          <p className="m-0 flex min-h-7 items-center gap-1.5 border-b border-rule bg-wash px-2.5 text-agate text-ink-2">
            <Icon name="shield" size={14} />
            <span className="min-w-0 grow">
              {preview === null || preview.heldPictures === 0
                ? t.sandboxed
                : t.sandboxedPictures({ count: preview.heldPictures })}
            </span>
            <button
              type="button"
              className="rounded-part text-accent pointer-coarse:min-h-11"
              onClick={() => onTurn(false)}
            >
              {t.hideMail}
            </button>
          </p>
          {preview === null ? (
            <DelayedFallback>
              <p className="m-0 px-3 py-3 text-ink-3">{t.loadingMail}</p>
            </DelayedFallback>
          ) : (
            <iframe
              sandbox=""
              title={t.mailText({ subject })}
              src={preview.src}
              className="min-h-0 w-full grow border-0 bg-sheet"
            />
          )}
        </div>
      )}
      {preview !== null && preview.attachments.length > 0 && (
        <ul aria-label={t.attachments} className="m-0 flex list-none flex-wrap gap-2 p-0 pt-2.5">
          {preview.attachments.map(({ name, bytes }, index) => (
            <li
              key={index}
              className="flex h-7 max-w-full items-center gap-1.5 rounded-part border border-rule px-2"
            >
              <Icon name="attachment" size={14} className="text-ink-3" />
              <span className="min-w-0 truncate" data-tip={name}>
                {name}
              </span>
              <span className="shrink-0 text-ink-3">{formatBytes(bytes)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ShownMail extends OutputOf<'createMailPreview'> {
  readonly src: string;
}
/** A mail that the user only passes with the keys is not read. */
const REST_MS = 250;

function usePreview({ session, mailbox, item, isOn, onRead }: MailPreviewProps) {
  const [turn, setTurn] = useState(0);
  const key = `${session} ${mailbox} ${item} ${turn}`;
  const [loaded, setLoaded] = useState<{
    readonly key: string;
    readonly preview: ShownMail | null;
    readonly failure: Failure | null;
  } | null>(null);
  useEffect(() => {
    if (!isOn) return;
    let isOver = false;
    const read = async (): Promise<void> => {
      const answer = await client().ask('createMailPreview', {
        restoreSessionId: session,
        mailboxId: mailbox,
        itemId: item,
      });
      if (isOver) return;
      // A damaged mail is no reason to end the session.
      if (answer.ok) onRead(answer);
      setLoaded(
        answer.ok
          ? {
              key,
              // Each address opens once.
              preview: {
                ...answer.value,
                src: `${answer.value.url}?theme=${document.documentElement.dataset['theme'] ?? ''}`,
              },
              failure: null,
            }
          : { key, preview: null, failure: answer.failure },
      );
    };
    const timer = setTimeout(() => void read(), REST_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isOn, session, mailbox, item, key, onRead]);
  const current = loaded?.key === key ? loaded : null;
  return {
    preview: current?.preview ?? null,
    failure: current?.failure ?? null,
    retry: () => setTurn(turn + 1),
  };
}
