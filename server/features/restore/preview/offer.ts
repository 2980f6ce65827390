import type * as v from 'valibot';
import type { DownloadId, OrganizationId } from '#contract/ids.ts';
import { PREVIEW_COOKIE, pathCookie } from '#server/platform/auth/cookie.ts';
import { makeSecret } from '#server/platform/auth/link-secret.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import { insertLink } from '../links.ts';
import type { PreviewRequest } from './handlers.ts';
import { PREVIEW_MS } from './previews.ts';
import type { MailBody } from './read-mail.ts';

const previewPath = (id: string): string => `/preview/${id}`;

/**
 * Returns the address of a preview. It opens once, within a minute, and only with the cookie of this
 * answer (G65).
 */
export async function offerPreview(
  { mailPreviews, store, chance, clock }: AppContext,
  ctx: SessionContext,
  organization: OrganizationId,
  request: v.InferOutput<typeof PreviewRequest>,
  body: MailBody,
): Promise<string> {
  const id = chance.uuid() as DownloadId;
  const secret = makeSecret(chance);
  const now = clock.now();
  await store.tenant(ctx.tenant, (tx) =>
    insertLink(tx, ctx.session, {
      id,
      organization,
      request,
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
  return previewPath(id);
}
