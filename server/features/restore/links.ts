import type { Bytes, DownloadId, Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { Workload } from '#contract/engine/engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadOperators } from '#server/platform/auth/operators.ts';
import { aliveSession } from '#server/platform/auth/sessions.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { findOrganization } from '../backup/lookup.ts';
import { mayRestore } from './scope.ts';

/** An address that a session made, for a file or for a page. */
interface NewLink {
  readonly id: DownloadId;
  readonly organization: OrganizationId;
  /** What it opens. */
  readonly request: object;
  readonly file?: { readonly name: string; readonly bytes: Bytes; readonly etag: string };
  /** Hash of the secret in the address, and until when it opens. */
  readonly ticket?: { readonly hash: string; readonly until: Ms };
  readonly cookieHash: string | null;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
}

export async function insertLink(
  { sql, tenant }: TenantTx,
  { userId, sessionId }: Principal,
  { id, organization, request, file, ticket, cookieHash, createdAt, expiresAt }: NewLink,
): Promise<void> {
  await sql
    .insertInto('download')
    .values({
      tenant_id: tenant,
      id,
      organization_id: organization,
      user_id: userId,
      session_id: sessionId,
      name: file?.name ?? '',
      request: JSON.stringify(request),
      ticket_hash: ticket?.hash ?? null,
      ticket_until: ticket?.until ?? createdAt,
      cookie_hash: cookieHash,
      entries: null,
      bytes: file?.bytes ?? 0,
      etag: file?.etag ?? '',
      created_at: createdAt,
      expires_at: expiresAt,
    })
    .execute();
}

/** Whose address it is. */
interface LinkOwner {
  readonly sessionId: string;
  readonly organization: OrganizationId;
  readonly workload: Workload;
}

/**
 * Returns the user of an address if the session that made it is active, and may still restore this
 * organization's data (G65).
 */
export async function findLinkUser(
  context: AppContext,
  tenant: TenantId,
  { sessionId, organization, workload }: LinkOwner,
): Promise<Principal | null> {
  const user = await aliveSession(context, tenant, sessionId);
  if (user === null || user.mustReset) return null;
  return context.store.tenant(
    tenant,
    async (tx) => {
      const session = mayRestore(user, workload)
        ? user
        : { ...user, operators: await loadOperators(tx, user) };
      return (await findOrganization(tx, session, organization)) === null ? null : session;
    },
    { readOnly: true },
  );
}

/** Addresses that no longer open. */
export async function deleteExpiredLinks({ sql, tenant }: TenantTx, now: Ms): Promise<void> {
  await sql
    .deleteFrom('download')
    .where('tenant_id', '=', tenant)
    .where('expires_at', '<', now)
    .execute();
}
