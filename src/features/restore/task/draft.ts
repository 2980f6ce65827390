import type { InputOf } from '#contract/calls.ts';
import type { RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import type { RestoreFlags } from '#contract/engine/restore-flags.ts';
import { DOCUMENT_VERSIONS } from '#contract/restore/shapes.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { getObject } from '../labels.ts';
import type { ContainerNode, ItemNode, WorkloadKind } from '../workload.ts';
import { restoreTaskMessages as t } from './messages.en.ts';
import type { ExplorerId, NodeId, OrganizationId } from '#contract/ids.ts';

/** What is to be restored: a mailbox, drive, site or team, a folder, or items of one. */
export interface ChosenNodes {
  readonly level: 'object' | 'folder' | 'items';
  /** The nodes from the mailbox or drive down to the open folder. */
  readonly chain: readonly [ContainerNode, ...ContainerNode[]];
  readonly nodes: readonly string[];
  /** Items of a folder are all of one kind. */
  readonly itemKind?: ItemNode['kind'] | undefined;
  /** Of items: how many, and how large. Null: the server has to count them. */
  readonly size: { readonly items: number; readonly bytes: number } | null;
}

/** The form of a restore. */
export interface RestoreDraft {
  readonly isOther: boolean;
  /** The organization of the other place; null: the session's. */
  readonly organization: string | null;
  readonly user: { readonly id: string; readonly name: string } | null;
  readonly folder: string;
  readonly deletedItems: boolean;
  readonly changedItems: boolean;
  readonly onConflict: RestoreInput['onConflict'];
  readonly versions: RestoreInput['versions'];
  readonly flags: RestoreFlags;
  readonly reason: string;
}

export const NEW_DRAFT: RestoreDraft = {
  isOther: false,
  organization: null,
  user: null,
  folder: '',
  deletedItems: true,
  changedItems: true,
  onConflict: 'replace',
  versions: 'last',
  flags: {
    markRestoredAsUnread: false,
    excludeDeletedItems: false,
    excludeDrafts: false,
    excludeInPlaceHoldItems: false,
    excludeLitigationHoldItems: false,
  },
  reason: '',
};

/** Returns the draft to begin with. What a team has besides its channels is restored on request. */
export const getNewDraft = (kind: WorkloadKind, chosen: ChosenNodes): RestoreDraft =>
  kind === 'teams'
    ? {
        ...NEW_DRAFT,
        flags: {
          ...NEW_DRAFT.flags,
          team: { members: isSettings(chosen), settings: isSettings(chosen) },
        },
      }
    : NEW_DRAFT;

/** Only the members and settings of a team are chosen. */
export const isSettings = ({ itemKind }: ChosenNodes): boolean => itemKind === 'settings';

/** A team, a channel or posts of it are chosen. */
export const hasPosts = (
  kind: WorkloadKind,
  { level, chain, itemKind }: Pick<ChosenNodes, 'level' | 'chain' | 'itemKind'>,
): boolean =>
  kind === 'teams' &&
  (level === 'items'
    ? itemKind === 'post'
    : level === 'object' || chain.at(-1)?.kind === 'channel');

interface DraftErrors {
  readonly user: string | null;
  readonly reason: string | null;
  readonly what: string | null;
}

/**
 * What the draft is for. `isForSettings`: the members and settings of a team. `isMany`: so many items
 * that a reason is needed even for the original location (G71).
 */
interface DraftTerms {
  readonly isForSettings?: boolean;
  readonly isMany?: boolean;
}

export function checkDraft(
  draft: RestoreDraft,
  targetNeeded: string = t.userNeeded,
  { isForSettings = false, isMany = false }: DraftTerms = {},
): DraftErrors {
  const { isOther, user, reason, deletedItems, changedItems, flags } = draft;
  const { members = false, settings = false } = flags.team ?? {};
  const hasAny = isForSettings ? members || settings : deletedItems || changedItems;
  return {
    user: isOther && user === null ? targetNeeded : null,
    reason: (isOther || isMany) && reason.trim() === '' ? t.reasonNeeded : null,
    what: hasAny ? null : isForSettings ? t.settingsNeeded : t.whatNeeded,
  };
}
/** The schema of the form of a restore. The server checks the request of the draft once more. */
export const makeDraftSchema = (targetNeeded: string | undefined, terms: DraftTerms) =>
  makeReadingSchema((draft: RestoreDraft) => ({
    value: draft,
    errors: { ...checkDraft(draft, targetNeeded, terms) },
  }));

/** Returns the request of a complete draft. */
export function restoreRequest(
  draft: RestoreDraft,
  { nodes }: Pick<ChosenNodes, 'nodes'>,
  session: { readonly id: string; readonly organization: string },
  isMany = false,
): RestoreInput {
  const { isOther, user, folder } = draft;
  const reason = draft.reason.trim();
  return {
    // From the address of the page; the server checks them.
    explorer: session.id as ExplorerId,
    nodes: nodes as readonly NodeId[],
    target:
      isOther && user !== null
        ? {
            kind: 'other',
            organization: (draft.organization ?? session.organization) as OrganizationId,
            object: user.id,
            folder: folder.trim() === '' ? null : folder.trim(),
          }
        : { kind: 'original' },
    select: draft.deletedItems ? (draft.changedItems ? 'both' : 'missing') : 'changed',
    onConflict: draft.onConflict,
    versions: draft.versions,
    flags: draft.flags,
    dryRun: false,
    reason: (isOther || isMany) && reason !== '' ? reason : null,
  };
}

type MailFields = Omit<InputOf<'restoreMailbox'>, 'mailboxId'>;
type FileFields = Omit<InputOf<'restoreDrive'>, 'onedriveId'>;
type SiteFields = Omit<InputOf<'restoreList'>, 'siteId' | 'listId'>;
type TeamFields = Omit<InputOf<'restoreTeamChannel'>, 'teamId' | 'channelId'>;
type Shared = Omit<FileFields, 'onedrive' | 'documentVersion'>;
const [ALL_VERSIONS, LAST_VERSION] = DOCUMENT_VERSIONS;

function sharedFields(request: RestoreInput, dryRun: boolean): Shared {
  const { explorer, target, select, onConflict, reason } = request;
  return {
    restoreSessionId: explorer,
    deletedItems: select !== 'changed',
    changedItems: select !== 'missing',
    onConflict,
    dryRun,
    ...(reason !== null && { reason }),
    ...(target.kind === 'other' && {
      targetOrganizationId: target.organization,
      ...(target.folder !== null && { folder: target.folder }),
    }),
  };
}

/** Returns the fields of a restore of mail. */
export function mailFields(request: RestoreInput, dryRun: boolean): MailFields {
  const { team: _, permissions: __, ...flags } = request.flags;
  return {
    ...sharedFields(request, dryRun),
    ...flags,
    ...(request.target.kind === 'other' && { mailbox: request.target.object }),
  };
}

/** Returns the fields of a restore of files. */
export const fileFields = (request: RestoreInput, dryRun: boolean): FileFields => ({
  ...sharedFields(request, dryRun),
  documentVersion: request.versions === 'all' ? ALL_VERSIONS : LAST_VERSION,
  ...(request.flags.permissions === true && { restorePermissions: true }),
  ...(request.target.kind === 'other' && { onedrive: request.target.object }),
});

/** Returns the fields of a restore of a site's content. */
export const siteFields = (request: RestoreInput, dryRun: boolean): SiteFields => ({
  ...sharedFields(request, dryRun),
  documentVersion: request.versions === 'all' ? ALL_VERSIONS : LAST_VERSION,
  ...(request.flags.permissions === true && { restorePermissions: true }),
  ...(request.target.kind === 'other' && { site: request.target.object }),
});

/** Returns the fields of a restore of a team's content. */
const teamFields = (
  { explorer, select, onConflict, versions, flags, reason }: RestoreInput,
  dryRun: boolean,
): TeamFields => ({
  restoreSessionId: explorer,
  restoreMissingItems: select !== 'changed',
  restoreChangedItems: select !== 'missing',
  onConflict,
  fileVersion: versions === 'all' ? ALL_VERSIONS : LAST_VERSION,
  ...(flags.permissions === true && { restorePermissions: true }),
  dryRun,
  ...(reason !== null && { reason }),
});

/** Starts a restore, or its dry run, with the call of its level. Returns the id of the task. */
export async function startRestore(
  kind: WorkloadKind,
  chosen: ChosenNodes,
  request: RestoreInput,
  dryRun: boolean,
): Promise<Result<string>> {
  const { level, chain, nodes } = chosen;
  const object = getObject(chain);
  if (kind === 'teams') return getTaskId(await restoreOfTeam(object.id, chosen, request, dryRun));
  if (kind === 'sharepoint') {
    const folder = level === 'object' ? object : (chain.at(-1) ?? object);
    const site = { ...siteFields(request, dryRun), siteId: object.id };
    return getTaskId(await restoreOfSite(level, folder.kind, site, [...nodes]));
  }
  const ids = [...nodes];
  const folderId = ids[0] ?? '';
  const mail = { ...mailFields(request, dryRun), mailboxId: object.id };
  const files = { ...fileFields(request, dryRun), onedriveId: object.id };
  const answer =
    kind === 'outlook'
      ? level === 'object'
        ? await client().ask('restoreMailbox', mail)
        : level === 'folder'
          ? await client().ask('restoreMailFolder', { ...mail, folderId })
          : await client().ask('restoreMailItems', { ...mail, items: ids })
      : level === 'object'
        ? await client().ask('restoreDrive', files)
        : level === 'folder'
          ? await client().ask('restoreDriveFolder', { ...files, folderId })
          : await client().ask('restoreDocuments', { ...files, documents: ids });
  return getTaskId(answer);
}

const getTaskId = (answer: Result<{ readonly taskId: string }>): Result<string> =>
  answer.ok ? { ok: true, value: answer.value.taskId } : answer;

function restoreOfSite(
  level: ChosenNodes['level'],
  kind: ContainerNode['kind'],
  site: SiteFields & { readonly siteId: string },
  ids: string[],
): Promise<Result<{ readonly taskId: string }>> {
  const id = ids[0] ?? '';
  const server = client();
  if (level === 'object') return server.ask('restoreSite', site);
  if (level === 'items')
    return kind === 'list'
      ? server.ask('restoreSiteItems', { ...site, items: ids })
      : server.ask('restoreSiteDocuments', { ...site, documents: ids });
  if (kind === 'library') return server.ask('restoreLibrary', { ...site, libraryId: id });
  return kind === 'list'
    ? server.ask('restoreList', { ...site, listId: id })
    : server.ask('restoreSiteFolder', { ...site, folderId: id });
}

function restoreOfTeam(
  teamId: string,
  { level, chain, nodes, itemKind }: ChosenNodes,
  request: RestoreInput,
  dryRun: boolean,
): Promise<Result<{ readonly taskId: string }>> {
  const server = client();
  const ids = [...nodes];
  const all = { teamId, ...teamFields(request, dryRun) };
  const { fileVersion: _, restorePermissions: __, ...unversioned } = all;
  const { members = false, settings = false } = request.flags.team ?? {};
  const beside = { restoreMembers: members, restoreSettings: settings };
  if (level === 'object') return server.ask('restoreTeam', { ...all, ...beside });
  if (itemKind === 'settings')
    return server.ask('restoreTeam', {
      ...all,
      ...beside,
      restoreMissingItems: false,
      restoreChangedItems: false,
    });
  const folder = level === 'folder' ? chain.at(-1) : undefined;
  if (folder?.kind === 'channel')
    return server.ask('restoreTeamChannel', { ...all, channelId: folder.id });
  if (itemKind === 'tab' || folder?.holds === 'tabs')
    return server.ask('restoreTeamTabs', { ...unversioned, tabs: ids });
  return itemKind === 'post'
    ? server.ask('restoreTeamPosts', { ...unversioned, posts: ids })
    : server.ask('restoreTeamFiles', { ...all, files: ids });
}

/** How many items and empty folders a restore would write by its dry run. */
export const countChanges = (dryRun: Pick<EngineTask, 'counts' | 'folders'> | null): number =>
  dryRun === null ? 0 : dryRun.counts.restored + dryRun.counts.merged + (dryRun.folders ?? 0);

/** RES-47: whether a dry run would write, or a restore has written, posts, which an undo leaves. */
export const leavesPosts = (
  hasPostsChosen: boolean,
  task: Pick<EngineTask, 'counts'> | null,
): boolean => hasPostsChosen && countChanges(task) > 0;
