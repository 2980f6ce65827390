import type { IncomingMessage } from 'node:http';
import type { Hono } from 'hono';
import * as v from 'valibot';
import type { EngineScope } from '#contract/engine/engine.ts';
import type { Bytes, DownloadId, OrganizationId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { getAgent } from '#server/platform/auth/audit.ts';
import { getCookie, DOWNLOAD_COOKIE, pathCookie } from '#server/platform/auth/cookie.ts';
import { hashSecret, type LinkSecret, makeSecret } from '#server/platform/auth/link-secret.ts';
import { callerReader } from '#server/platform/http/client-address.ts';
import { evaluateConditions } from '#server/platform/http/conditions.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { tenantReader } from '#server/platform/http/tenant.ts';
import { getAnswer, loadOperatorScope } from '../../backup/engine-calls.ts';
import { STATUS_OF } from '#contract/errors.ts';
import { readBackgroundFile } from '../background/read-file.ts';
import { findLinkUser } from '../links.ts';
import { contentDisposition } from './file-name.ts';
import { DownloadRequest, downloadPath } from './handlers.ts';
import { mayGoOn } from './may-go-on.ts';
import { downloadMessages as t } from './messages.en.ts';
import { readRange } from './range.ts';
import { guardedStream } from './stream.ts';
import { uuidSchema } from '#contract/id-schema.ts';

/** Downloads that run at a time, in total and for one session. */
const BATCH_SIZE = 64;
const SESSION_AT_ONCE = 8;

/** A download, and who asks for it. */
interface Visit {
  readonly tenant: TenantId;
  readonly id: DownloadId;
  readonly request: Request;
  readonly ip: string;
  readonly disconnect: () => boolean;
}
interface Link {
  readonly name: string;
  readonly bytes: Bytes;
  readonly etag: string;
  readonly organization: OrganizationId;
  readonly sessionId: string;
  readonly expiresAt: number;
  readonly of: v.InferOutput<typeof DownloadRequest>;
  readonly session: Principal;
  /** The first visit: the ticket is used up for a cookie. */
  readonly ticketHash: string | null;
}

/**
 * `/download/<id>/<name>` (G65): a ticket in the address opens it once. From then on, a cookie for
 * this path alone gives this browser any range of it, while its session is active.
 */
export function downloadRoutes(context: AppContext): (app: Hono) => void {
  const loadTenant = tenantReader(context);
  const getCaller = callerReader(context.config.trustedProxies);
  const running = makeRunning();
  return (app) => {
    app.get('/download/:id/:name', async ({ req, env }) => {
      const { host, ip } = getCaller(req.raw, env);
      const tenant = await loadTenant(host);
      const id = v.safeParse(ID, req.param('id'));
      if (tenant === null || !id.success) return refuse(404, t.gone);
      const visit = {
        tenant,
        id: id.output,
        request: req.raw,
        ip,
        disconnect: () => closeConnection(env),
      };
      const link = await findLink(context, visit, req.query('ticket'));
      return link === null ? refuse(404, t.gone) : serve(context, visit, link, running);
    });
  };
}
const ID = uuidSchema<DownloadId>();

/** Returns null if there is no such download for this browser. */
async function findLink(
  context: AppContext,
  { tenant, id, request }: Visit,
  ticket: string | undefined,
): Promise<Link | null> {
  const now = context.clock.now();
  const row = await context.store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('download')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    { readOnly: true },
  );
  const of = v.safeParse(DownloadRequest, row?.request);
  if (row === undefined || !of.success) return null;
  const cookie = getCookie(request.headers, DOWNLOAD_COOKIE);
  const hasCookie = cookie !== null && hashSecret(cookie) === row.cookie_hash;
  const ticketHash = ticket === undefined ? null : hashSecret(ticket);
  const hasTicket = ticketHash !== null && ticketHash === row.ticket_hash && now < row.ticket_until;
  if (!hasCookie && !hasTicket) return null;
  const { organization_id: organization, session_id: sessionId } = row;
  const { workload } = of.output;
  const session = await findLinkUser(context, tenant, { sessionId, organization, workload });
  return session === null
    ? null
    : {
        name: row.name,
        bytes: row.bytes,
        etag: row.etag,
        organization,
        sessionId,
        expiresAt: row.expires_at,
        of: of.output,
        session,
        ticketHash: hasCookie ? null : ticketHash,
      };
}

async function serve(
  context: AppContext,
  visit: Visit,
  link: Link,
  running: Running,
): Promise<Response> {
  const { bytes, name, etag, organization, session, sessionId, of } = link;
  const { tenant, id, request } = visit;
  const conditions = evaluateConditions(request.headers, etag);
  if (conditions === 'failed') return refuse(412, t.otherContent, { etag });
  if (conditions === 'not-modified')
    return new Response(null, { status: 304, headers: { etag, 'cache-control': 'no-store' } });
  const headers = new Headers({
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-disposition': contentDisposition(name),
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': getMediaType(name),
    etag,
  });
  if (request.method === 'HEAD') {
    headers.set('content-length', String(bytes));
    return new Response(null, { headers });
  }
  const range = readRange(request.headers, bytes, etag);
  if (range.kind === 'unsatisfiable') {
    headers.delete('content-disposition');
    headers.set('content-range', `bytes */${bytes}`);
    return new Response(null, { status: 416, headers });
  }
  const { from, to } = range.kind === 'whole' ? { from: 0, to: bytes } : range;
  const leave = running.enter(sessionId);
  if (leave === null) return refuse(503, t.tooMany, { 'retry-after': '10' });
  try {
    if (link.ticketHash !== null) {
      const secret = makeSecret(context.chance);
      if (!(await useTicket(context, visit, link.ticketHash, secret))) {
        leave();
        return refuse(404, t.gone);
      }
      const forMs = link.expiresAt - context.clock.now();
      headers.append(
        'set-cookie',
        pathCookie(DOWNLOAD_COOKIE, secret.text, downloadPath(id), forMs),
      );
    }
    const { actor, impersonation } = session;
    const scope: EngineScope = {
      tenant,
      organization,
      user: session.userId,
      ...loadOperatorScope(session, organization),
      origin: { ip: visit.ip, agent: getAgent(request), actor, impersonation, key: null },
    };
    const content =
      of.kind === 'file'
        ? await readBackgroundFile(context, scope, { ...of, bytes, from, to })
        : getAnswer(
            await context.embeddedEngine.readDownload(scope, { download: of.prepared, from, to }),
          );
    if (!content.ok) {
      leave();
      const { kind, message } = content.failure;
      return refuse((STATUS_OF as Partial<Record<string, number>>)[kind] ?? 500, message);
    }
    headers.set('content-length', String(to - from));
    if (range.kind === 'part') headers.set('content-range', `bytes ${from}-${to - 1}/${bytes}`);
    const body = guardedStream(content.value.stream, {
      clock: context.clock,
      mayGoOn: () => mayGoOn(context, scope, sessionId, of),
      disconnect: visit.disconnect,
      onEnd: (error) => {
        leave();
        if (error !== null)
          context.log.warn('a download ended early', {
            error: error instanceof Error ? error.message : typeof error,
          });
      },
    });
    return new Response(body, { status: range.kind === 'part' ? 206 : 200, headers });
  } catch (error) {
    leave();
    throw error;
  }
}

/** Replaces the ticket by a cookie. Of two visits at once, one gets it. */
const useTicket = (
  { store, clock }: AppContext,
  { tenant, id }: Visit,
  ticketHash: string,
  { hash }: LinkSecret,
): Promise<boolean> =>
  store.tenant(tenant, async ({ sql }) => {
    const { numUpdatedRows } = await sql
      .updateTable('download')
      .set({ ticket_hash: null, cookie_hash: hash })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('ticket_hash', '=', ticketHash)
      .where('ticket_until', '>', clock.now())
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });

/** Never a type that a browser opens inline. */
function getMediaType(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  if (extension === 'zip') return 'application/zip';
  return extension === 'eml' ? 'message/rfc822' : 'application/octet-stream';
}

/** Returns false if the request came over no socket. */
function closeConnection(env: unknown): boolean {
  const { incoming } = (env ?? {}) as { readonly incoming?: Partial<IncomingMessage> };
  if (incoming?.socket?.destroy === undefined) return false;
  incoming.socket.destroy();
  return true;
}

const refuse = (
  status: number,
  sentence: string,
  more: Readonly<Record<string, string>> = {},
): Response =>
  new Response(`${sentence}\n`, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...more,
    },
  });

interface Running {
  /** Returns how to leave, once; null: too many run. */
  enter(session: string): (() => void) | null;
}

function makeRunning(): Running {
  const bySession = new Map<string, number>();
  let total = 0;
  return {
    enter(session) {
      const own = bySession.get(session) ?? 0;
      if (total >= BATCH_SIZE || own >= SESSION_AT_ONCE) return null;
      total += 1;
      bySession.set(session, own + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        total -= 1;
        const left = (bySession.get(session) ?? 1) - 1;
        if (left === 0) bySession.delete(session);
        else bySession.set(session, left);
      };
    },
  };
}
