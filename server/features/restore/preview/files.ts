import { failed, ok, type Result } from '#contract/result.ts';
import { ContentError } from '#server/engine/public/content.ts';
import { type DocumentReader, MAX_CONTENT_BYTES } from '#server/engine/public/documents.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { type EngineAt, withSession, SESSION_WORKLOADS } from '../scope.ts';
import { filePreviewMessages as t } from './files.messages.en.ts';
import { offerPreview } from './offer.ts';
import { collect, type PreviewedMail } from './read-content.ts';
import { type ReadFile, showFile } from './show-file.ts';

/** RES-90, G64: pictures as they are, texts and the texts of documents. Nothing of a file acts. */
export function filePreviewHandlers(context: AppContext): Pick<Handlers, 'createFilePreview'> {
  return {
    createFilePreview: ({ restoreSessionId, fileId }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, null, async (at) => {
        const { mailPreviews, store } = context;
        const file = { explorer: restoreSessionId, node: fileId };
        const read = await readPreviewedFile(mailPreviews.documents, at, file);
        if (!read.ok) return read;
        const session = await store.tenant(
          ctx.tenant,
          async (tx) => (await tx.rows('restoreSession', [file.explorer])).get(file.explorer),
          { readOnly: true },
        );
        if (session === undefined) return NOT_FOUND_RESULT;
        const workload = SESSION_WORKLOADS[session.sessionType];
        const { body, ...head } = read.value;
        const request = { kind: 'preview', workload, isFile: true, ...file } as const;
        const url = await offerPreview(context, ctx, at.scope.organization, request, body);
        return ok({ url, ...head });
      }),
  };
}

/** Reads a file from its backup (the engine records that) and prepares it for a person. */
export async function readPreviewedFile(
  documents: DocumentReader,
  { engine, scope }: Pick<EngineAt, 'engine' | 'scope'>,
  file: PreviewedMail,
): Promise<Result<ReadFile>> {
  const content = getAnswer(await engine.readContent(scope, { ...file, as: 'raw' }));
  if (!content.ok) return content;
  const { bytes, stream } = content.value;
  if (bytes > MAX_CONTENT_BYTES) return failed({ kind: 'conflict', message: t.tooLarge });
  try {
    return await showFile(documents, await collect(stream, bytes));
  } catch (error) {
    if (error instanceof ContentError) return getAnswer({ ok: false, error: error.error });
    throw error;
  }
}
