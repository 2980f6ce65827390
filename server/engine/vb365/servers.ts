import type { Selectable } from 'kysely';
import type { EngineResult, EngineScope, EngineId } from '#contract/engine/engine.ts';
import type { OrganizationId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { Vb365Tables } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { failed, type Failed, ok } from '../result.ts';
import { makeVb365Client, type Vb365Client } from './client.ts';
import { vb365Messages as t } from './messages.en.ts';

export type ServerRow = Selectable<Vb365Tables['vb365_server']>;

/** The server that an organization was imported from. `key`: the organization's id there. */
export interface OpenedServer {
  readonly server: ServerRow;
  readonly client: Vb365Client;
  readonly key: string;
}

export interface Vb365Servers {
  /** Returns the server of an organization. Requests to it throw a `SourceError`. */
  open(scope: Pick<EngineScope, 'tenant' | 'organization'>): Promise<EngineResult<OpenedServer>>;
  openServer(tenant: TenantId, server: ServerRow): Promise<EngineResult<Vb365Client>>;
}

/** Clients stay open, so that requests to a server share a token. */
export function makeVb365Servers(context: () => AppContext): Vb365Servers {
  const clients = new Map<EngineId, { readonly changedAt: number; readonly client: Vb365Client }>();

  const openServer: Vb365Servers['openServer'] = async (tenant, server) => {
    const known = clients.get(server.id);
    if (known?.changedAt === server.changed_at) return ok(known.client);
    // Inside the transaction: one that fails says nothing about the key.
    const secret = await context().store.tenant(
      tenant,
      (tx) => unseal(tx, context(), place(server.id), server.sealed).catch(() => null),
      { readOnly: true },
    );
    if (secret === null) return failed('refused', t.sealedByOther);
    const { address, certificate, username } = server;
    const client = makeVb365Client(context(), {
      address,
      certificate,
      credentials: { kind: 'password', name: username, secret },
    });
    clients.set(server.id, { changedAt: server.changed_at, client });
    return ok(client);
  };

  return {
    openServer,
    async open({ tenant, organization }) {
      const found = await context().store.tenant(tenant, (tx) => findServer(tx, organization), {
        readOnly: true,
      });
      if (found === null) return failed('missing', t.notImported);
      const client = await openServer(tenant, found.server);
      return client.ok ? ok({ ...found, client: client.value }) : client;
    },
  };
}

const place = (id: EngineId) => ({ table: 'vb365_server', column: 'sealed', row: id });

export const sealServerPassword = (
  tx: TenantTx,
  context: AppContext,
  id: EngineId,
  password: string,
): Promise<string> => seal(tx, context, place(id), password);

export async function findServer(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
): Promise<Pick<OpenedServer, 'server' | 'key'> | null> {
  const row = await db
    .selectFrom('vb365_organization as o')
    .innerJoin('vb365_server as s', (join) =>
      join.onRef('s.tenant_id', '=', 'o.tenant_id').onRef('s.id', '=', 'o.server_id'),
    )
    .selectAll('s')
    .select('o.server_key')
    .where('o.tenant_id', '=', tenant)
    .where('o.organization_id', '=', organization)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { server_key: key, ...server } = row;
  return { server, key };
}

/** Deletes an organization's link, sessions and what they have shown; the server with its password, too, if it was the last one. */
export async function forgetOrganization(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
): Promise<void> {
  await db
    .deleteFrom('backup_log')
    .where('tenant_id', '=', tenant)
    .where('session_id', 'in', (query) =>
      query
        .selectFrom('backup_session')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization),
    )
    .execute();
  for (const table of TABLES)
    await db
      .deleteFrom(table)
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .execute();
  await forgetServers({ sql: db, tenant });
}

const TABLES = [
  'backup_session',
  'vb365_explorer',
  'vb365_licensed_user',
  'vb365_node',
  'vb365_object',
  'vb365_organization',
] as const;

/** Deletes the servers that no organization has, with their passwords. */
export const forgetServers = ({ sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>) =>
  db
    .deleteFrom('vb365_server')
    .where('tenant_id', '=', tenant)
    .where('id', 'not in', (query) =>
      query.selectFrom('vb365_organization').select('server_id').where('tenant_id', '=', tenant),
    )
    .execute();

/** Returns the failure of a request. The message is the server's own. */
export function toFailed(error: unknown): Failed {
  if (!(error instanceof SourceError)) throw error;
  const { kind, message, waitMs } = error;
  return failed(kind === 'failed' ? 'conflict' : kind, message, waitMs === null ? {} : { waitMs });
}
