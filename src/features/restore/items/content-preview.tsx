import { useEffect, useId, useRef, useState } from 'react';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { formatBytes } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { useIsSettled } from '../../shared/queries/use-is-settled.ts';
import { useRequest } from '../../shared/queries/use-query.ts';
import { useLastingFocus } from '../use-lasting-focus.ts';
import type { ItemNode } from '../workload.ts';
import { itemMessages as t } from './messages.en.ts';

const TEXTS = {
  mail: {
    show: t.showMail,
    hint: t.showMailHint,
    loading: t.loadingMail,
    content: (subject: string) => t.mailText({ subject }),
  },
  event: {
    show: t.showEvent,
    hint: t.showItemHint,
    loading: t.loadingItem,
    content: (subject: string) => t.mailText({ subject }),
  },
  contact: {
    show: t.showContact,
    hint: t.showItemHint,
    loading: t.loadingItem,
    content: (subject: string) => t.mailText({ subject }),
  },
  task: {
    show: t.showTask,
    hint: t.showItemHint,
    loading: t.loadingItem,
    content: (subject: string) => t.mailText({ subject }),
  },
  file: {
    show: t.showFile,
    hint: t.showItemHint,
    loading: t.loadingItem,
    content: (subject: string) => t.fileContent({ subject }),
  },
  post: {
    show: t.showPost,
    hint: t.showPostHint,
    loading: t.loadingPost,
    content: (subject: string) => t.postText({ subject }),
  },
};

/** Items that a person can read here. */
export type ReadableKind = keyof typeof TEXTS;
export const isReadable = (item: ItemNode): item is ItemNode & { readonly kind: ReadableKind } =>
  item.kind in TEXTS;

export interface ContentPreviewProps {
  readonly kind: ReadableKind;
  readonly session: string;
  /** The mailbox or team. */
  readonly object: string;
  readonly item: string;
  readonly title: string;
  /** Content is shown as soon as an item is opened. */
  readonly isOn: boolean;
  /** Null: it is shown as long as it is there. */
  readonly onTurn: ((isOn: boolean) => void) | null;
  readonly onRead: (result: Result<unknown>) => void;
}

/**
 * The text of a mail with its attachments, an event, contact or task, a post with its replies, or a
 * picture, a text or the text of a document, in a frame that runs and loads nothing.
 */
export function ContentPreview(props: ContentPreviewProps) {
  const { kind, isOn, onTurn, title } = props;
  const { path, left, open, back } = useAttachment(props);
  const leftButton = useLastingFocus();
  const { preview, failure, retry } = usePreview({ ...props, path });
  const attached = path.at(-1);
  const texts = TEXTS[kind];
  if (!isOn)
    return (
      <div className="flex flex-wrap items-center gap-3 px-4 pb-5 tablet:px-5">
        <Button icon="eye" onClick={() => onTurn?.(true)}>
          {texts.show}
        </Button>
        <span className="text-agate text-ink-3">{texts.hint}</span>
      </div>
    );
  return (
    <div className="flex min-h-80 grow flex-col px-4 pb-4 tablet:px-5">
      {attached !== undefined && (
        <AttachmentBar
          key={path.map(({ n }) => n).join(' ')}
          name={attached.name}
          onBack={() => {
            back();
            leftButton.focus();
          }}
        />
      )}
      {failure !== null &&
        // Most kinds of files have no preview, and trying again changes nothing.
        ((kind === 'file' || attached !== undefined) && failure.kind === 'conflict' ? (
          <output className="block text-ink-2">{getFailureText(failure)}</output>
        ) : (
          <RetryCallout failure={failure} onRetry={retry}>
            {getFailureText(failure)}
          </RetryCallout>
        ))}
      {failure === null && (
        <div className="flex min-h-0 grow flex-col overflow-hidden rounded-part border border-rule">
          <p className="m-0 flex min-h-7 items-center gap-1.5 border-b border-rule bg-wash px-2.5 text-agate text-ink-2">
            <Icon name="shield" size={14} />
            <span className="min-w-0 grow">
              {preview === null ? t.sandboxed : getShownText(preview)}
            </span>
            {onTurn !== null && (
              <button
                type="button"
                className="min-h-6 rounded-part text-accent pointer-coarse:min-h-11"
                onClick={() => onTurn(false)}
              >
                {t.hide}
              </button>
            )}
          </p>
          {preview === null ? (
            <DelayedFallback>
              <p className="m-0 px-3 py-3 text-ink-3">{texts.loading}</p>
            </DelayedFallback>
          ) : (
            <iframe
              sandbox=""
              title={
                attached === undefined
                  ? texts.content(title)
                  : t.attachmentContent({ name: attached.name })
              }
              src={preview.src}
              className="min-h-0 w-full grow border-0 bg-sheet"
            />
          )}
        </div>
      )}
      {preview !== null && preview.attachments.length > 0 && (
        <ul aria-label={t.attachments} className="m-0 flex list-none flex-wrap gap-2 p-0 pt-2.5">
          {preview.attachments.map(({ name, bytes }, index) => (
            <li key={index} className="max-w-full">
              <button
                ref={index === left ? leftButton.ref : null}
                type="button"
                data-tip={name}
                className="flex h-7 max-w-full items-center gap-1.5 rounded-part border border-rule px-2 pointer-coarse:min-h-11"
                onClick={() => open({ n: index, name })}
              >
                <Icon name="attachment" size={14} className="text-ink-3" />
                <span className="sr-only">{t.showAttachment}</span>
                <span className="min-w-0 truncate">{name}</span>
                <span className="shrink-0 text-ink-3">{formatBytes(bytes)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The attachment that is shown, and the way back. */
function AttachmentBar({ name, onBack }: { readonly name: string; readonly onBack: () => void }) {
  const button = useRef<HTMLSpanElement>(null);
  // What was pressed is gone: the keys go on here.
  useEffect(() => button.current?.querySelector('button')?.focus(), []);
  return (
    <span ref={button} className="flex flex-wrap items-center gap-3 pb-2.5">
      <Button onClick={onBack}>{t.backToMail}</Button>
      <span className="min-w-0 grow basis-40 break-words">{name}</span>
    </span>
  );
}

interface AttachmentStep {
  readonly n: number;
  readonly name: string;
}

/** Which attachment is open: of the item that is shown, and of no other. */
function useAttachment({ session, item }: ContentPreviewProps) {
  const key = `${session} ${item}`;
  const [state, setState] = useState<{
    readonly key: string;
    readonly path: readonly AttachmentStep[];
    readonly left: number | null;
  }>({ key, path: NO_STEPS, left: null });
  const { path, left } = state.key === key ? state : { path: NO_STEPS, left: null };
  return {
    path,
    /** The attachment that was closed last. */
    left,
    open: (step: AttachmentStep) => setState({ key, path: [...path, step], left: null }),
    back: () => setState({ key, path: path.slice(0, -1), left: path.at(-1)?.n ?? null }),
  };
}
const NO_STEPS: readonly AttachmentStep[] = [];

interface ShownContent extends Pick<OutputOf<'createMailPreview'>, 'attachments' | 'heldPictures'> {
  readonly src: string;
  /** What of a file is shown. */
  readonly file?: Pick<OutputOf<'createFilePreview'>, 'shows' | 'isShortened'> | undefined;
}

/** What is shown, and what isn't. */
function getShownText({ heldPictures, file }: ShownContent): string {
  if (file === undefined)
    return heldPictures === 0 ? t.sandboxed : t.sandboxedPictures({ count: heldPictures });
  const text = { picture: t.filePicture, text: t.fileText, document: t.fileDocument }[file.shows];
  return file.isShortened ? `${text} ${t.fileShortened}` : text;
}

/** An item that the user only passes with the keys is not read. */
const REST_MS = 250;

function usePreview({
  kind,
  session,
  object,
  item,
  isOn,
  onRead,
  path,
}: ContentPreviewProps & { readonly path: readonly AttachmentStep[] }) {
  const steps = path.map(({ n }) => n).join(' ');
  const isSettled = useIsSettled(`${session} ${object} ${item} ${steps}`, REST_MS);
  const { value, failure, isLoading, again } = useRequest<ShownContent>(
    'createPreview',
    // Each address opens once: it is requested for each time that it is shown.
    { shownBy: useId(), isOn, kind, session, object, item, steps },
    async (signal) => {
      const answer =
        kind === 'post'
          ? await readPost({ restoreSessionId: session, teamId: object, postId: item })
          : kind === 'file'
            ? await readFile({ restoreSessionId: session, fileId: item })
            : await client().ask('createMailPreview', {
                restoreSessionId: session,
                mailboxId: object,
                itemId: item,
                ...(steps !== '' && { attachment: steps.split(' ').map(Number) }),
              });
      if (!answer.ok) return answer;
      // A damaged item is no reason to end the session.
      if (!signal.aborted) onRead(answer);
      const src = `${answer.value.url}?theme=${document.documentElement.dataset['theme'] ?? ''}`;
      return ok({ ...answer.value, src });
    },
    isOn && isSettled,
    { isLasting: true },
  );
  return {
    preview: failure === null ? value : null,
    failure: isLoading ? null : failure,
    retry: again,
  };
}

async function readPost(input: InputOf<'createPostPreview'>) {
  const answer = await client().ask('createPostPreview', input);
  return answer.ok ? ok({ ...answer.value, attachments: [] }) : answer;
}

async function readFile(input: InputOf<'createFilePreview'>) {
  const answer = await client().ask('createFilePreview', input);
  if (!answer.ok) return answer;
  const { url, shows, isShortened } = answer.value;
  return ok({ url, attachments: [], heldPictures: 0, file: { shows, isShortened } });
}
