import * as v from 'valibot';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { Workload } from '#contract/engine/engine.ts';
import { RESTORE_CAPABILITIES } from '#contract/engine/restore-capabilities.ts';
import type { DownloadId, Ms, NodeId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { isFresh, REAUTH } from '#server/platform/auth/guards.ts';
import { makeSecret } from '#server/platform/auth/link-secret.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { insertLink } from '../links.ts';
import { requestBackgroundDownload } from '../background/request.ts';
import { chooseHolds, isForMailboxes } from '../background/rows.ts';
import { withSession } from '../scope.ts';
import { archiveName } from './file-name.ts';
import { downloadMessages as t } from './messages.en.ts';
import { storedIdSchema } from '#contract/id-schema.ts';

type Names =
  | 'downloadMailbox'
  | 'downloadMailFolder'
  | 'downloadMailItems'
  | 'downloadDrive'
  | 'downloadDriveFolder'
  | 'downloadDocuments'
  | 'downloadLibrary'
  | 'downloadSiteFolder'
  | 'downloadSiteDocuments'
  | 'downloadTeamFiles';
type Query = Pick<
  ParsedInputOf<'downloadMailbox'>,
  'restoreSessionId' | 'format' | 'downloadInBackground'
>;

/** How long the address opens for the first time. */
export const TICKET_MS: Ms = 60_000;

const WorkloadSchema = v.picklist(['outlook', 'onedrive', 'sharepoint', 'teams']);
/** What a row of `download` stores of a download: a prepared one, or a file that is ready. */
export const DownloadRequest = v.variant('kind', [
  v.object({
    kind: v.literal('download'),
    workload: WorkloadSchema,
    prepared: storedIdSchema<DownloadId>(),
  }),
  v.object({
    kind: v.literal('file'),
    workload: WorkloadSchema,
    download: storedIdSchema<DownloadId>(),
    part: v.number(),
  }),
]);
type DownloadWorkload = v.InferOutput<typeof WorkloadSchema> & Workload;

export const downloadPath = (id: string): string => `/download/${id}/`;

/** DL-5: a mailbox or a folder is a PST file, unless another format is chosen. */
const asPst = <I extends Query>({ format = 'pst', ...input }: I) => ({ ...input, format });

/** DL-8: downloads of mailboxes, drives and sites. The engine records what they hold (G63). */
export function downloadHandlers(context: AppContext): Pick<Handlers, Names> {
  const download = (
    ctx: SessionContext,
    workload: DownloadWorkload,
    { restoreSessionId, format, downloadInBackground }: Query,
    within: NodeId,
    nodes: readonly NodeId[],
    suffix: string,
  ): Promise<Result<OutputOf<'downloadMailbox'>>> =>
    withSession(context, ctx, { restoreSessionId }, workload, async (at) => {
      if (format !== undefined && format !== 'zip' && workload !== 'outlook')
        return failed({ kind: 'conflict', message: t.onlyMailboxes });
      const { kind, engine, scope } = at;
      const isLater = downloadInBackground || !RESTORE_CAPABILITIES[kind].downloadsNow;
      if (isLater || (format !== undefined && isForMailboxes(format)))
        return requestBackgroundDownload(context, ctx, at, {
          explorer: restoreSessionId,
          nodes,
          within,
          workload,
          format,
          suffix,
        });
      const now = context.clock.now();
      const expiresAt = now + LIMITS.absoluteMs;
      const answer = getAnswer(
        await engine.prepareDownload(scope, {
          explorer: restoreSessionId,
          nodes,
          within,
          ...(format !== undefined && { format, holds: chooseHolds(format) }),
          maxBytes: isFresh(ctx) ? null : LIMITS.downloadPlainBytes,
          expiresAt,
        }),
      );
      if (!answer.ok) return answer;
      const prepared = answer.value;
      if (prepared.kind === 'too-large') return REAUTH;
      const { fileName, bytes, items, missing } = prepared;
      const id = context.chance.uuid() as DownloadId;
      const ticket = makeSecret(context.chance);
      const name = await context.store.tenant(ctx.tenant, async (tx) => {
        const named =
          fileName ?? archiveName(`${suffix}.zip`, now, (await loadCompanyLimit(tx)).timeZone);
        await insertLink(tx, ctx.session, {
          id,
          organization: scope.organization,
          request: { kind: 'download', workload, prepared: prepared.id } satisfies v.InferOutput<
            typeof DownloadRequest
          >,
          file: { name: named, bytes, etag: `"${prepared.hash}"` },
          ticket: { hash: ticket.hash, until: context.clock.now() + TICKET_MS },
          cookieHash: null,
          createdAt: now,
          expiresAt,
        });
        return named;
      });
      const url = `${downloadPath(id)}${encodeURIComponent(name)}?ticket=${ticket.text}`;
      return ok({ _id: id, id, url, name, bytes, items, missing });
    });

  return {
    downloadMailbox: ({ mailboxId, ...input }, ctx) =>
      download(ctx, 'outlook', asPst(input), mailboxId, [mailboxId], '-mailbox'),
    downloadMailFolder: ({ mailboxId, folderId, ...input }, ctx) =>
      download(ctx, 'outlook', asPst(input), mailboxId, [folderId], '-mailbox-folder'),
    downloadMailItems: ({ mailboxId, items, ...input }, ctx) =>
      download(ctx, 'outlook', input, mailboxId, items, '-items'),
    downloadDrive: ({ onedriveId, ...input }, ctx) =>
      download(ctx, 'onedrive', input, onedriveId, [onedriveId], '-onedrive'),
    downloadDriveFolder: ({ onedriveId, folderId, ...input }, ctx) =>
      download(ctx, 'onedrive', input, onedriveId, [folderId], '-folder'),
    downloadDocuments: ({ onedriveId, documents, ...input }, ctx) =>
      download(ctx, 'onedrive', input, onedriveId, documents, '-documents'),
    downloadLibrary: ({ siteId, libraryId, ...input }, ctx) =>
      download(ctx, 'sharepoint', input, siteId, [libraryId], '-library'),
    downloadSiteFolder: ({ siteId, folderId, ...input }, ctx) =>
      download(ctx, 'sharepoint', input, siteId, [folderId], '-folder'),
    downloadSiteDocuments: ({ siteId, documents, ...input }, ctx) =>
      download(ctx, 'sharepoint', input, siteId, documents, '-documents'),
    downloadTeamFiles: ({ teamId, files, ...input }, ctx) =>
      download(ctx, 'teams', input, teamId, files, '-teams-files'),
  };
}
