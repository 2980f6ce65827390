import { DateTime } from 'luxon';
import * as v from 'valibot';
import type { EngineScope } from '#contract/engine/engine.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { ContentError } from '#server/engine/public/content.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { type EngineAt, withSession } from '../scope.ts';
import { MAX_PREVIEW_BYTES } from './mail-reader.ts';
import { toMime } from './html-mime.ts';
import { previewMessages as t } from './messages.en.ts';
import { collect, type PreviewedMail, readCleanMail } from './read-content.ts';
import { offerPreview } from './offer.ts';
import type { MailPreviews } from './previews.ts';
import type { ReadMail } from './read-mail.ts';

const text = v.fallback(v.nullish(v.string()), undefined);
const Message = v.object({
  createdDateTime: text,
  deletedDateTime: text,
  subject: text,
  from: v.fallback(
    v.nullish(
      v.object({
        user: v.nullish(v.object({ displayName: text })),
        application: v.nullish(v.object({ displayName: text })),
      }),
    ),
    undefined,
  ),
  body: v.fallback(v.object({ contentType: text, content: text }), {}),
});
type Message = v.InferOutput<typeof Message>;
/** `page`: the texts of all of them, where they are not stored one by one. */
const Thread = v.object({ post: Message, replies: v.array(Message), page: text });

/** RES-46, G64: posts with their replies as people read them, as clean as mails. */
export function postPreviewHandlers(context: AppContext): Pick<Handlers, 'createPostPreview'> {
  return {
    createPostPreview: ({ restoreSessionId, teamId, postId }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, 'teams', async (at) => {
        if (at.kind === 'embedded' && !postId.startsWith(`i${teamId.slice(1)}.`))
          return failed({ kind: 'not-found', message: t.noPost });
        const { mailPreviews, store } = context;
        const post = { explorer: restoreSessionId, node: postId };
        const zone = await store.tenant(ctx.tenant, loadZone, { readOnly: true });
        const read = await readPreviewedPost(mailPreviews, at, { ...post, within: teamId }, zone);
        if (!read.ok) return read;
        const { body, ...head } = read.value;
        const request = { kind: 'preview', workload: 'teams', isFile: false, ...post } as const;
        const url = await offerPreview(context, ctx, at.scope.organization, request, body);
        return ok({ url, ...head });
      }),
  };
}

type ReadPost = Pick<ReadMail, 'subject' | 'sentAt' | 'heldPictures' | 'body'> & {
  readonly author: string;
  readonly replies: number;
};

/**
 * Reads a thread from its backup, with its times in a zone, and has it cleaned in the thread that
 * reads mails (G67).
 */
export async function readPreviewedPost(
  previews: MailPreviews,
  { engine, scope }: EngineAt,
  post: PreviewedMail,
  zone: string,
): Promise<Result<ReadPost>> {
  const json = await readPart(engine, scope, post);
  if (!json.ok) return json;
  const thread = v.safeParse(Thread, parseJson(json.value));
  if (!thread.success) return failed({ kind: 'conflict', message: t.unreadable });
  const messages = [thread.output.post, ...thread.output.replies];
  const pictures = new Map<string, string>();
  let room = MAX_PREVIEW_BYTES / 2;
  for (const id of new Set(messages.flatMap(({ body }) => getHostedIds(body.content ?? '')))) {
    const picture = await readPart(engine, scope, post, id);
    if (!picture.ok || picture.value.byteLength > room) continue;
    room -= picture.value.byteLength;
    const type = getPictureType(picture.value);
    if (type !== null)
      pictures.set(id, `data:${type};base64,${Buffer.from(picture.value).toString('base64')}`);
  }
  const html =
    thread.output.page ??
    messages.map((message) => showMessage(message, pictures, zone)).join('\n<hr>\n');
  const read = await readCleanMail(previews, toMime(html));
  if (!read.ok) return read;
  const { heldPictures, body } = read.value;
  const sentAt = Date.parse(thread.output.post.createdDateTime ?? '');
  return ok({
    subject: thread.output.post.subject ?? '',
    author: getAuthor(thread.output.post),
    sentAt: Number.isNaN(sentAt) ? null : sentAt,
    replies: thread.output.replies.length,
    heldPictures,
    body,
  });
}

async function readPart(
  engine: EngineAt['engine'],
  scope: EngineScope,
  post: PreviewedMail,
  picture?: string,
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  const content = getAnswer(
    await engine.readContent(scope, {
      ...post,
      ...(picture === undefined ? { as: 'json' } : { as: 'hosted', name: picture }),
    }),
  );
  if (!content.ok) return content;
  const { bytes, stream } = content.value;
  if (bytes > MAX_PREVIEW_BYTES / 2) return failed({ kind: 'conflict', message: t.tooLarge });
  try {
    return ok(await collect(stream, bytes));
  } catch (error) {
    if (error instanceof ContentError) return getAnswer({ ok: false, error: error.error });
    throw error;
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}

const HOSTED = /[^"'\s]*hostedContents\/([^/"'\s\\]+)\/\$value/g;
const getHostedIds = (html: string): readonly string[] =>
  [...html.matchAll(HOSTED)].map(([, id = '']) => id);

/** Raster formats by their first bytes. */
function getPictureType(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (head === '89504e47') return 'image/png';
  if (head.startsWith('ffd8ff')) return 'image/jpeg';
  return head === '47494638' ? 'image/gif' : null;
}

const getAuthor = ({ from }: Message): string =>
  from?.user?.displayName ?? from?.application?.displayName ?? '';

function showMessage(
  message: Message,
  pictures: ReadonlyMap<string, string>,
  zone: string,
): string {
  const { content = '', contentType } = message.body;
  const html = contentType === 'html' ? (content ?? '') : `<p>${escaped(content ?? '')}</p>`;
  const shown =
    message.deletedDateTime == null
      ? html.replaceAll(HOSTED, (address, id: string) => pictures.get(id) ?? address)
      : `<p><i>${escaped(t.deletedPost)}</i></p>`;
  const at = DateTime.fromISO(message.createdDateTime ?? '', { zone, locale: 'en-US' });
  const when = at.isValid ? at.toFormat('LL/dd/yy hh:mm a') : '';
  return `<div><p><b>${escaped(getAuthor(message))}</b> <small>${when}</small></p>${shown}</div>`;
}

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escaped = (plain: string): string => plain.replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? '');
