import type { Hono } from 'hono';
import * as v from 'valibot';
import type { Bytes, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import {
  findImport,
  type ImportRow,
  makeUploadFiles,
  receivePart,
} from '#server/engine/public/imports.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { hashSecret } from '#server/platform/auth/link-secret.ts';
import { aliveSession } from '#server/platform/auth/sessions.ts';
import { readBodyBytes } from '#server/platform/http/body.ts';
import { claimBody } from '#server/platform/http/body-budget.ts';
import { callerReader } from '#server/platform/http/client-address.ts';
import { NOT_FOUND, refuse } from '#server/platform/http/envelope.ts';
import { tenantReader } from '#server/platform/http/tenant.ts';
import { findOrganization } from './lookup.ts';

const PART_MS = 60_000;
const TICKET_HEADER = 'daybook-upload';

export const uploadPath = (id: string): string => `/upload/${id}`;

/**
 * `PUT /upload/<import>?from=<bytes>`: a part of an archive. Its ticket is good for this import
 * alone, while the session that asked for it is active and may import. A part that arrives again,
 * or out of order, changes nothing: the answer says from where to continue.
 */
export function uploadRoutes(context: AppContext): (app: Hono) => void {
  const loadTenant = tenantReader(context);
  const getCaller = callerReader(context.config.trustedProxies);
  return (app) => {
    app.put('/upload/:id', async ({ req, env }) => {
      const tenant = await loadTenant(getCaller(req.raw, env).host);
      const id = v.safeParse(ID, req.param('id'));
      const from = v.safeParse(FROM, req.query('from'));
      if (tenant === null || !id.success || !from.success) return refuse(NOT_FOUND);
      const task = await findUpload(context, tenant, id.output, req.raw);
      if (task === null) return refuse(NOT_FOUND);
      if (task.received_bytes !== from.output || task.state !== 'uploading')
        return tellReceived(task.received_bytes);
      return receive(context, tenant, task, req.raw);
    });
  };
}
const ID = v.pipe(v.string(), v.uuid());
const FROM = v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number));

async function receive(
  context: AppContext,
  tenant: TenantId,
  task: ImportRow,
  request: Request,
): Promise<Response> {
  const { store, clock } = context;
  const from = task.received_bytes;
  claimBody(request, tenant, task.user_id);
  const max = Math.min(LIMITS.importPartBytes, task.bytes - from);
  const part = await readBodyBytes(request, max, { clock, ms: PART_MS });
  if (!part.ok) return refuse(part.failure);
  if (part.value.length === 0) return tellReceived(from);
  await makeUploadFiles(context, tenant).write(task.id, from, part.value);
  const to = from + part.value.length;
  const isNext = await store.tenant(tenant, (tx) =>
    receivePart(tx, task, { from, to, at: clock.now() }),
  );
  if (isNext) return tellReceived(to);
  const now = await store.tenant(tenant, (tx) => findImport(tx, task.id), { readOnly: true });
  return tellReceived(now?.received_bytes ?? 0);
}

const tellReceived = (receivedBytes: Bytes): Response =>
  Response.json({ receivedBytes }, { headers: { 'cache-control': 'no-store' } });

/** Returns null if there is no such upload for who asks. */
async function findUpload(
  context: AppContext,
  tenant: TenantId,
  id: string,
  request: Request,
): Promise<ImportRow | null> {
  const ticket = request.headers.get(TICKET_HEADER);
  if (ticket === null) return null;
  const task = await context.store.tenant(tenant, (tx) => findImport(tx, id), { readOnly: true });
  if (task?.ticket_hash == null || task.ticket_hash !== hashSecret(ticket)) return null;
  const user =
    task.session_id === null ? null : await aliveSession(context, tenant, task.session_id);
  if (user === null || user.mustReset || !hasAbility(user, 'o365.repositories')) return null;
  const organization = await context.store.tenant(
    tenant,
    (tx) => findOrganization(tx, user, task.organization_id),
    { readOnly: true },
  );
  return organization === null ? null : task;
}
