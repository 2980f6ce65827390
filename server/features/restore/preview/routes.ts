import type { Hono } from 'hono';
import * as v from 'valibot';
import type { DownloadId, OrganizationId, TenantId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import { getAgent, audit } from '#server/platform/auth/audit.ts';
import { getCookie, PREVIEW_COOKIE } from '#server/platform/auth/cookie.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { hashSecret } from '#server/platform/auth/link-secret.ts';
import { callerReader } from '#server/platform/http/client-address.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { tenantReader } from '#server/platform/http/tenant.ts';
import { loadOperatorScope } from '../../backup/engine-calls.ts';
import { findOrganization } from '../../backup/lookup.ts';
import { findLinkUser } from '../links.ts';
import { type EngineAt, getRestoreEngine } from '../scope.ts';
import { PreviewRequest } from './handlers.ts';
import { mailPage, messagePage, PREVIEW_POLICY, type PreviewTheme } from './mail-page.ts';
import { previewMessages as t } from './messages.en.ts';
import { readPreviewedFile } from './files.ts';
import { readPreviewedPost } from './posts.ts';
import { readPreviewedMail } from './read-content.ts';
import type { MailBody } from './read-mail.ts';
import { uuidSchema } from '#contract/id-schema.ts';

interface Visit {
  readonly tenant: TenantId;
  readonly id: DownloadId;
  readonly request: Request;
  readonly ip: string;
}

/**
 * `/preview/<id>`: the document of a mail, once, in the browser that asked for it while its session
 * is active (G64, G65).
 */
export function previewRoutes(context: AppContext): (app: Hono) => void {
  const loadTenant = tenantReader(context);
  const getCaller = callerReader(context.config.trustedProxies);
  return (app) => {
    app.get('/preview/:id', async ({ req, env }) => {
      const theme = toTheme(req.query('theme'));
      if (req.raw.method !== 'GET') return page(405, messagePage(t.expired, theme));
      const { host, ip } = getCaller(req.raw, env);
      const tenant = await loadTenant(host);
      const id = v.safeParse(ID, req.param('id'));
      const body =
        tenant === null || !id.success
          ? null
          : await showOnce(context, { tenant, id: id.output, request: req.raw, ip });
      if (body === null) return page(404, messagePage(t.expired, theme));
      return body.ok
        ? page(200, mailPage(body.value, theme))
        : page(409, messagePage(body.failure.message, theme));
    });
  };
}
const ID = uuidSchema<DownloadId>();

const toTheme = (text: string | undefined): PreviewTheme =>
  text === 'light' || text === 'dark' ? text : null;

/** Returns null if there is no such preview for this browser. */
async function showOnce(context: AppContext, visit: Visit): Promise<Result<MailBody> | null> {
  const { tenant, id, request } = visit;
  const secret = getCookie(request.headers, PREVIEW_COOKIE);
  if (secret === null) return null;
  const now = context.clock.now();
  const row = await context.store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('download')
        .select(['organization_id', 'session_id', 'request'])
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .where('cookie_hash', '=', hashSecret(secret))
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    { readOnly: true },
  );
  const mail = v.safeParse(PreviewRequest, row?.request);
  if (row === undefined || !mail.success) return null;
  const organization = row.organization_id;
  const session = await findLinkUser(context, tenant, {
    sessionId: row.session_id,
    organization,
    workload: mail.output.workload,
  });
  if (session === null) return null;
  const isFirst = await useUp(context, visit, { organization, session, mail: mail.output, now });
  if (!isFirst) return null;
  const { bodies } = context.mailPreviews;
  const body = bodies.get(id);
  bodies.delete(id);
  // An operator's scope is looked up again.
  if (body !== undefined && session.operators === undefined) return ok(body);
  const { actor, impersonation } = session;
  const scope = {
    tenant,
    organization,
    user: session.userId,
    ...loadOperatorScope(session, organization),
    origin: { ip: visit.ip, agent: getAgent(request), actor, impersonation, key: null },
  };
  const { store } = context;
  const seen = await store.tenant(tenant, (tx) => findOrganization(tx, session, organization), {
    readOnly: true,
  });
  if (seen === null) return null;
  const at = { kind: seen.engine, engine: getRestoreEngine(context, seen), scope };
  const read = await readAgain(context, tenant, at, mail.output);
  return read.ok ? ok(read.value.body) : read;
}

/** Another server prepared it, or its scope is looked up again. */
async function readAgain(
  { mailPreviews, store }: AppContext,
  tenant: TenantId,
  at: EngineAt,
  request: v.InferOutput<typeof PreviewRequest>,
): Promise<Result<{ readonly body: MailBody }>> {
  if (request.isFile) return readPreviewedFile(mailPreviews.documents, at, request);
  if (request.workload !== 'teams') return readPreviewedMail(mailPreviews, at, request);
  const zone = await store.tenant(tenant, loadZone, { readOnly: true });
  return readPreviewedPost(mailPreviews, at, request, zone);
}

interface Use {
  readonly organization: OrganizationId;
  readonly session: Principal;
  readonly mail: v.InferOutput<typeof PreviewRequest>;
  readonly now: number;
}

/** Removes the address and records the reading (G63). Returns whether it was still there. */
const useUp = (
  context: AppContext,
  { tenant, id, request, ip }: Visit,
  { organization, session, mail, now }: Use,
): Promise<boolean> =>
  context.store.tenant(tenant, async (tx) => {
    const { numDeletedRows } = await tx.sql
      .deleteFrom('download')
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await audit(
      tx,
      context,
      { ip, request, now, session },
      {
        what: 'backupcontent.read',
        user: null,
        detail: {
          organization,
          ...loadOperatorScope(session, organization),
          ...(session.actor !== session.userId && { actedAs: session.userId }),
          read: 'preview',
          session: mail.explorer,
          node: mail.node,
        },
      },
    );
    return true;
  });

const page = (status: number, html: string): Response =>
  new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': PREVIEW_POLICY,
      'x-frame-options': 'SAMEORIGIN',
    },
  });
