import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type {
  EngineScope,
  Node,
  EnginePage,
  RestoreInput,
  Workload,
} from '#contract/engine/engine.ts';
import { LIMITS } from '#contract/limits.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { badField, NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { findOrganization } from '../backup/lookup.ts';
import { restoreCallMessages as t } from './messages.en.ts';
import { startRestore } from './oversight/start.ts';
import { type EngineAt, runOnce, withSession } from './scope.ts';
import type { ExplorerId, NodeId } from '#contract/ids.ts';

type Names =
  | 'restoreMailbox'
  | 'restoreMailFolder'
  | 'restoreMailItems'
  | 'restoreDrive'
  | 'restoreDriveFolder'
  | 'restoreDocuments'
  | 'restoreSite'
  | 'restoreList'
  | 'restoreLibrary'
  | 'restoreSiteFolder'
  | 'restoreSiteDocuments'
  | 'restoreSiteItems';
type MailInput = Omit<ParsedInputOf<'restoreMailbox'>, 'mailboxId'>;
type FilesInput = Omit<ParsedInputOf<'restoreDrive'>, 'onedriveId'>;
type SiteInput = Omit<ParsedInputOf<'restoreList'>, 'siteId' | 'listId'>;
/** What all ask for. `user`: to whom, or to which site, if to another place. */
interface RestoreRequest extends Pick<
  MailInput,
  | 'restoreSessionId'
  | 'deletedItems'
  | 'changedItems'
  | 'targetOrganizationId'
  | 'folder'
  | 'dryRun'
  | 'reason'
> {
  readonly user: string | undefined;
}
/** `within`: the mailbox, drive or site of the nodes. */
interface Chosen extends Pick<
  RestoreInput,
  'nodes' | 'within' | 'onConflict' | 'versions' | 'flags'
> {}
type Started = OutputOf<'restoreMailbox'>;

/** RES-21: restores of mailboxes and drives, to their place or to another one. */
export function restoreHandlers(context: AppContext): Pick<Handlers, Names> {
  const restore = (
    ctx: SessionContext,
    workload: Workload,
    request: RestoreRequest,
    chosen: Chosen,
  ): Promise<Result<Started>> =>
    runOnce<Started>(context, ctx, () =>
      withSession(context, ctx, request, workload, async (at) => {
        const select = getSelectMode(request);
        if (select === null) return badField('deletedItems', t.nothingSelected);
        const target = await getRestoreTarget(ctx, workload, request, at.scope);
        if (!target.ok) return target;
        const input: RestoreInput = {
          ...chosen,
          explorer: request.restoreSessionId,
          target: target.value,
          select,
          dryRun: request.dryRun,
          reason: request.reason ?? null,
        };
        return startRestore(context, ctx, at, workload, input);
      }),
    );

  /** G71: another place needs a user, an organization that the caller sees, and a reason. */
  const getRestoreTarget = async (
    ctx: SessionContext,
    workload: Workload,
    { user, targetOrganizationId, folder, reason }: RestoreRequest,
    { organization }: EngineScope,
  ): Promise<Result<RestoreInput['target']>> => {
    if (user === undefined)
      return targetOrganizationId === undefined && folder === undefined
        ? ok({ kind: 'original' })
        : badField(...TARGET_FIELDS[workload]);
    const other = targetOrganizationId ?? organization;
    const found = await context.store.tenant(
      ctx.tenant,
      (tx) => findOrganization(tx, ctx.session, other),
      { readOnly: true },
    );
    if (!found) return NOT_FOUND_RESULT;
    if (reason === undefined) return badField('reason', t.reasonNeeded);
    return ok({ kind: 'other', organization: other, object: user, folder: folder ?? null });
  };

  const mail = (
    ctx: SessionContext,
    { mailbox, onConflict = 'replace', ...input }: MailInput,
    within: NodeId,
    nodes: readonly NodeId[],
  ) =>
    restore(
      ctx,
      'outlook',
      { ...input, user: mailbox },
      {
        within,
        nodes,
        onConflict,
        versions: 'last',
        flags: {
          markRestoredAsUnread: input.markRestoredAsUnread,
          excludeDeletedItems: input.excludeDeletedItems,
          excludeDrafts: input.excludeDrafts,
          excludeInPlaceHoldItems: input.excludeInPlaceHoldItems,
          excludeLitigationHoldItems: input.excludeLitigationHoldItems,
        },
      },
    );

  const files = (
    ctx: SessionContext,
    { onedrive, documentAction, documentVersion, restorePermissions, ...input }: FilesInput,
    within: NodeId,
    nodes: readonly NodeId[],
  ) =>
    restore(
      ctx,
      'onedrive',
      { ...input, user: onedrive },
      {
        within,
        nodes,
        onConflict: input.onConflict ?? (documentAction === 'Keep' ? 'keep-both' : 'replace'),
        versions: documentVersion === 'All' ? 'all' : 'last',
        flags: { ...NO_FLAGS, permissions: restorePermissions },
      },
    );

  const sites = (
    ctx: SessionContext,
    { site, siteURL, documentAction, documentVersion, restorePermissions, ...input }: SiteInput,
    within: NodeId | null,
    nodes: readonly NodeId[],
  ) =>
    restore(
      ctx,
      'sharepoint',
      { ...input, user: site ?? siteURL },
      {
        ...(within !== null && { within }),
        nodes,
        onConflict: input.onConflict ?? (documentAction === 'Keep' ? 'keep-both' : 'replace'),
        versions: documentVersion === 'All' ? 'all' : 'last',
        flags: { ...NO_FLAGS, permissions: restorePermissions },
      },
    );

  return {
    async restoreSite({ siteId, restoreSubsites, ...input }, ctx) {
      if (!restoreSubsites) return sites(ctx, input, siteId, [siteId]);
      if (input.site !== undefined || input.siteURL !== undefined)
        return badField('restoreSubsites', t.subsitesOriginal);
      const below = await withSession(context, ctx, input, 'sharepoint', ({ engine, scope }) =>
        listSubsites(engine, scope, input.restoreSessionId, siteId),
      );
      return below.ok ? sites(ctx, input, null, [siteId, ...below.value]) : below;
    },
    restoreList: ({ siteId, listId, ...input }, ctx) => sites(ctx, input, siteId, [listId]),
    restoreLibrary: ({ siteId, libraryId, ...input }, ctx) =>
      sites(ctx, input, siteId, [libraryId]),
    restoreSiteFolder: ({ siteId, folderId, ...input }, ctx) =>
      sites(ctx, input, siteId, [folderId]),
    restoreSiteDocuments: ({ siteId, documents, ...input }, ctx) =>
      sites(ctx, input, siteId, documents),
    restoreSiteItems: ({ siteId, items, ...input }, ctx) => sites(ctx, input, siteId, items),
    restoreMailbox: ({ mailboxId, ...input }, ctx) => mail(ctx, input, mailboxId, [mailboxId]),
    restoreMailFolder: ({ mailboxId, folderId, ...input }, ctx) =>
      mail(ctx, input, mailboxId, [folderId]),
    restoreMailItems: ({ mailboxId, items, ...input }, ctx) => mail(ctx, input, mailboxId, items),
    restoreDrive: ({ onedriveId, ...input }, ctx) => files(ctx, input, onedriveId, [onedriveId]),
    restoreDriveFolder: ({ onedriveId, folderId, ...input }, ctx) =>
      files(ctx, input, onedriveId, [folderId]),
    restoreDocuments: ({ onedriveId, documents, ...input }, ctx) =>
      files(ctx, input, onedriveId, documents),
  };
}

/** The field that names another place, and what it has to be. */
const TARGET_FIELDS: Readonly<Record<Workload, readonly [string, string]>> = {
  outlook: ['mailbox', t.userNeeded],
  onedrive: ['onedrive', t.userNeeded],
  sharepoint: ['siteURL', t.siteNeeded],
  teams: ['team', t.userNeeded],
};

/** Returns the ids of all sites below one, at most as many as a restore takes. */
async function listSubsites(
  engine: EngineAt['engine'],
  scope: EngineScope,
  explorer: ExplorerId,
  site: NodeId,
): Promise<Result<readonly NodeId[]>> {
  const found: NodeId[] = [];
  // The list grows while it is walked.
  const parents = [site];
  for (const parent of parents)
    for (let cursor: string | null = null; ;) {
      const page: Result<EnginePage<Node>> = getAnswer(
        await engine.listChildren(scope, { ...SUBSITES, explorer, within: parent, parent, cursor }),
      );
      if (!page.ok) return page;
      const ids = page.value.rows.map(({ id }) => id);
      found.push(...ids);
      parents.push(...ids);
      if (found.length >= LIMITS.restoreNodes)
        return badField('restoreSubsites', t.tooManySubsites({ max: LIMITS.restoreNodes }));
      cursor = page.value.next;
      if (cursor === null) break;
    }
  return ok(found);
}
const SUBSITES = {
  only: 'objects',
  text: null,
  sort: 'name',
  descending: false,
  limit: 200,
} as const;

const NO_FLAGS: RestoreInput['flags'] = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};

function getSelectMode({
  deletedItems,
  changedItems,
}: RestoreRequest): RestoreInput['select'] | null {
  if (deletedItems && changedItems) return 'both';
  if (deletedItems) return 'missing';
  return changedItems ? 'changed' : null;
}
