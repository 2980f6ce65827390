import * as v from 'valibot';
import { attachmentPath } from '#contract/restore/preview.ts';
import { ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { withSession } from '../scope.ts';
import { offerPreview } from './offer.ts';
import { readPreviewedMail } from './read-content.ts';
import type { ExplorerId, NodeId } from '#contract/ids.ts';
import { storedIdSchema } from '#contract/id-schema.ts';

/** What a row of `download` stores of a preview. `isFile`: not a mail or post. */
export const PreviewRequest = v.object({
  kind: v.literal('preview'),
  workload: v.optional(v.picklist(['outlook', 'onedrive', 'sharepoint', 'teams']), 'outlook'),
  explorer: storedIdSchema<ExplorerId>(),
  node: storedIdSchema<NodeId>(),
  isFile: v.optional(v.boolean(), false),
  attachment: v.optional(attachmentPath),
});

/** G64, DL-7: mails as people read them. The address opens only with the cookie of this answer. */
export function previewHandlers(context: AppContext): Pick<Handlers, 'createMailPreview'> {
  return {
    createMailPreview: ({ restoreSessionId, mailboxId, itemId, attachment }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, 'outlook', async (at) => {
        const mail = {
          explorer: restoreSessionId,
          node: itemId,
          ...(attachment !== undefined && { attachment }),
        };
        const read = await readPreviewedMail(context.mailPreviews, at, {
          ...mail,
          within: mailboxId,
        });
        if (!read.ok) return read;
        const { body, ...head } = read.value;
        const request = { kind: 'preview', workload: 'outlook', isFile: false, ...mail } as const;
        const url = await offerPreview(context, ctx, at.scope.organization, request, body);
        return ok({ url, ...head });
      }),
  };
}
