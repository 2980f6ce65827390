import type { EngineError } from '#contract/engine/engine.ts';
import type { Bytes, DownloadId, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { ServerDownload } from '#server/platform/db/database-vb365.ts';
import { backgroundMessages as t } from './messages.en.ts';
import { RESERVED_BYTES } from './request.ts';
import { type DownloadRow, findDownload, RUNNING } from './rows.ts';
import type { PartFiles } from './part-files.ts';

/** How often a file that breaks off is requested. */
const MAX_ATTEMPTS = 3;

/** Thrown by a download on a server that can't continue, or not yet. */
export class ServerSaveError extends Error {
  override readonly name = 'ServerSaveError';
  readonly isForNow: boolean;
  constructor(message: string, isForNow: boolean) {
    super(message);
    this.isForNow = isForNow;
  }
}

/**
 * Writes the one file that the organization's server makes. The server gives it as a whole: one that
 * broke off is requested again from its beginning.
 * @throws ServerSaveError
 */
export async function saveOnServer(
  context: AppContext,
  files: PartFiles,
  row: DownloadRow,
  { isStored, signal }: { readonly isStored: boolean; readonly signal: AbortSignal },
): Promise<'finished' | 'stopped'> {
  const { tenant_id: tenant, id, organization_id: organization, server_request: request } = row;
  if (isStored || request === null) return 'finished';
  const update = (values: object): Promise<boolean> =>
    context.store.tenant(tenant, async ({ sql }) => {
      const { numUpdatedRows } = await sql
        .updateTable('background_download')
        .set(values)
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .where('state', '=', 'running')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
  const roomBytes = await getRoom(context, files, row);
  const open = await files.create(id, 1);
  try {
    const saved = await context.vb365Engine.saveDownload({
      tenant,
      organization,
      request,
      roomBytes,
      write: (piece, at) => open.write(piece, at),
      isWanted: async (bytes) => !signal.aborted && (await update({ bytes_done: bytes })),
    });
    if (!saved.ok) throw toError(saved.error);
    const end = saved.value;
    if (end.kind === 'broken') throw await getBroken(request, end.message, update);
    if (end.kind === 'left') {
      // Files of a download that was cancelled meanwhile belong to nobody.
      if (!signal.aborted) await files.delete(id);
      return 'stopped';
    }
    const { bytes, extension } = end;
    const isWanted = await update({ items_done: row.items, bytes, bytes_done: bytes });
    if (!isWanted) {
      await files.delete(id);
      return 'stopped';
    }
    const stored = await open.finish();
    await context.store.tenant(tenant, async ({ sql }) => {
      await sql
        .insertInto('background_part')
        .values({
          tenant_id: tenant,
          download_id: id,
          n: 1,
          name: withExtension(row.name, extension),
          next_item: row.items,
          bytes_read: bytes,
          failed: 0,
          ...stored,
        })
        .onConflict((on) => on.columns(['tenant_id', 'download_id', 'n']).doUpdateSet(stored))
        .execute();
    });
    return 'finished';
  } finally {
    // Closed already if the file was finished.
    await open.close().catch(() => undefined);
  }
}

/** An unavailable or busy server is retried later. A refusal isn't retried. */
const toError = ({ kind, message }: EngineError): ServerSaveError =>
  new ServerSaveError(message, kind === 'unreachable' || kind === 'busy');

async function getBroken(
  request: ServerDownload,
  message: string,
  update: (values: object) => Promise<boolean>,
): Promise<ServerSaveError> {
  const attempts = request.attempts + 1;
  if (attempts >= MAX_ATTEMPTS)
    return new ServerSaveError(t.brokeOff({ count: attempts, reason: message }), false);
  await update({ server_request: JSON.stringify({ ...request, attempts }), bytes_done: 0 });
  return new ServerSaveError(message, true);
}

/** What else may be stored: on the disk, and of the provider. */
export async function getRoom(
  { store }: AppContext,
  files: PartFiles,
  { tenant_id: tenant, id }: DownloadRow,
): Promise<Bytes> {
  const freeBytes = await files.getFreeBytes();
  const stored = await store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('background_download')
      .select(({ fn }) => fn.sum<string | null>('bytes').as('bytes'))
      .where('tenant_id', '=', tenant)
      .where('id', '<>', id)
      .where('state', 'in', [...RUNNING, 'ready'])
      .executeTakeFirstOrThrow(),
  );
  return Math.max(
    0,
    Math.min(freeBytes - RESERVED_BYTES, LIMITS.exportBytes - Number(stored.bytes ?? 0)),
  );
}

/** A file has the name of what it is: the server packs a large PST file into a ZIP archive. */
function withExtension(name: string, extension: string | null): string {
  if (extension === null || name.toLowerCase().endsWith(`.${extension}`)) return name;
  return `${name.replace(/\.(?:zip|pst|msg)$/i, '')}.${extension}`;
}

/** Ends the session on the server if its user has left it meanwhile. */
export async function releaseOnServer(
  context: AppContext,
  tenant: TenantId,
  id: DownloadId,
): Promise<void> {
  const row = await context.store.tenant(tenant, (tx) => findDownload(tx, id));
  if (row === null || row.server_request === null) return;
  await context.vb365Engine.releaseDownload({
    tenant,
    organization: row.organization_id,
    request: row.server_request,
  });
}
