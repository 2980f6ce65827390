import type { EngineScope } from '#contract/engine/engine.ts';
import type { Bytes, DownloadId } from '#contract/ids.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { mayReadDownload } from '#server/engine/public/downloads.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import { makePartFiles } from './part-files.ts';
import { findDownload } from './rows.ts';

interface FileRange {
  readonly download: DownloadId;
  readonly part: number;
  /** Of the whole file. */
  readonly bytes: Bytes;
  readonly from: Bytes;
  readonly to: Bytes;
}

/** Reads a range of a finished file, and records it (G63). */
export async function readBackgroundFile(
  context: AppContext,
  scope: EngineScope,
  { download, part, bytes, from, to }: FileRange,
): Promise<Result<{ readonly stream: AsyncIterable<Uint8Array> }>> {
  const { tenant, organization, user, operator, origin } = scope;
  const files = makePartFiles(context, tenant);
  if (!(await files.has(download, part, bytes))) return failed(NOT_FOUND);
  const isReady = await context.store.tenant(tenant, async (tx) => {
    const row = await findDownload(tx, download);
    if (row?.state !== 'ready' || row.user_id !== user || row.organization_id !== organization)
      return false;
    if (!(await mayReadDownload(tx, scope, { table: 'background_download', id: download })))
      return false;
    await auditOrigin(tx, context, {
      what: 'backupcontent.read',
      user: null,
      detail: {
        organization,
        ...(operator !== undefined && { operator }),
        read: 'download',
        download,
        part,
        from,
        to,
      },
      at: context.clock.now(),
      origin: origin ?? { ip: '', agent: '', actor: user, impersonation: null, key: null },
    });
    return true;
  });
  return isReady ? ok({ stream: files.read(download, part, from, to) }) : failed(NOT_FOUND);
}
