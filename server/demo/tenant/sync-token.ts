import type { Ms } from '#contract/ids.ts';
import { GraphError } from './graph-error.ts';
import type { Tenant } from './store.ts';

/** What a token of a delta query holds: opaque to clients. */
export interface SyncState {
  /** Changes up to this number are known to the client. */
  readonly since: number;
  /** The round ends at this number; later changes belong to the next one. */
  readonly until: number;
  /** The last number of the previous page. */
  readonly at: number;
  readonly select: readonly string[] | null;
  /** Related entities that come with each one. */
  readonly expand?: readonly string[];
  readonly pageSize: number | null;
  /** Only messages that were received since. */
  readonly receivedSince: Ms | null;
  readonly changeType: 'created' | 'updated' | 'deleted' | null;
}

interface Sealed extends SyncState {
  readonly scope: string;
  readonly generation: number;
  readonly issuedAt: Ms;
}

/** Delta tokens of the directory live seven days; those of mailboxes and drives here thirty. */
const LIFETIME_MS = { directory: 7 * 86_400_000, content: 30 * 86_400_000 } as const;

const generation = (tenant: Tenant): number => Number(tenant.store.readMeta('generation') ?? 0);

/** Ends all delta tokens that were issued so far, as a migration of the tenant does. */
export function expireTokens(tenant: Tenant): void {
  tenant.store.writeMeta('generation', String(generation(tenant) + 1));
}

export function sealToken(tenant: Tenant, scope: string, state: SyncState): string {
  const sealed: Sealed = {
    ...state,
    scope,
    generation: generation(tenant),
    issuedAt: tenant.now(),
  };
  return Buffer.from(JSON.stringify(sealed)).toString('base64url');
}

/**
 * Returns the state of a token.
 * @throws GraphError 410 if it has expired or belongs to another collection
 */
export function openToken(
  tenant: Tenant,
  scope: string,
  token: string,
  kind: keyof typeof LIFETIME_MS,
  gone: () => GraphError,
): SyncState {
  let sealed: Sealed;
  try {
    sealed = JSON.parse(Buffer.from(token, 'base64url').toString()) as Sealed;
  } catch {
    throw gone();
  }
  if (
    sealed.scope !== scope ||
    sealed.generation !== generation(tenant) ||
    sealed.issuedAt + LIFETIME_MS[kind] < tenant.now()
  )
    throw gone();
  return sealed;
}
