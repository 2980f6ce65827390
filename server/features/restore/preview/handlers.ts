import * as v from 'valibot';
import { ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { PREVIEW_COOKIE, pathCookie } from '#server/platform/auth/cookie.ts';
import { makeSecret } from '#server/platform/auth/link-secret.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { insertLink } from '../links.ts';
import { withSession } from '../scope.ts';
import { PREVIEW_MS } from './previews.ts';
import { readPreviewedMail } from './read-content.ts';
import type { DownloadId, ExplorerId, NodeId } from '#contract/ids.ts';
import { storedIdSchema } from '#contract/id-schema.ts';

/** What a row of `download` stores of a preview. */
export const PreviewRequest = v.object({
  kind: v.literal('preview'),
  workload: v.optional(v.picklist(['outlook', 'teams']), 'outlook'),
  explorer: storedIdSchema<ExplorerId>(),
  node: storedIdSchema<NodeId>(),
});

export const previewPath = (id: string): string => `/preview/${id}`;

/** G64, DL-7: mails as people read them. The address opens only with the cookie of this answer. */
export function previewHandlers(context: AppContext): Pick<Handlers, 'createMailPreview'> {
  return {
    createMailPreview: ({ restoreSessionId, itemId }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, 'outlook', async (at) => {
        const { mailPreviews, store, chance, clock } = context;
        const mail = { explorer: restoreSessionId, node: itemId };
        const read = await readPreviewedMail(mailPreviews, at, mail);
        if (!read.ok) return read;
        const { body, ...head } = read.value;
        const id = chance.uuid() as DownloadId;
        const secret = makeSecret(chance);
        const now = clock.now();
        await store.tenant(ctx.tenant, (tx) =>
          insertLink(tx, ctx.session, {
            id,
            organization: at.scope.organization,
            request: { kind: 'preview', workload: 'outlook', ...mail } satisfies v.InferOutput<
              typeof PreviewRequest
            >,
            cookieHash: secret.hash,
            createdAt: now,
            expiresAt: now + PREVIEW_MS,
          }),
        );
        mailPreviews.bodies.set(id, body);
        ctx.answer.append(
          'set-cookie',
          pathCookie(PREVIEW_COOKIE, secret.text, previewPath(id), PREVIEW_MS),
        );
        return ok({ url: previewPath(id), ...head });
      }),
  };
}
