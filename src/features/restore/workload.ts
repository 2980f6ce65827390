import type { InputOf } from '#contract/calls.ts';
import type { Node } from '#contract/engine/engine.ts';
import { SESSION_TYPES } from '#contract/restore/sessions.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { treeMessages } from './tree/messages.en.ts';
import type { NodeId } from '#contract/ids.ts';

export type WorkloadKind = 'outlook' | 'onedrive' | 'sharepoint' | 'teams';
type ContainerOf = Extract<Node, { readonly children: number | null }>;
/** A mailbox, drive, site, team or folder; `subsites`, `content`: the two nodes below a site. */
export type ContainerNode = Pick<
  ContainerOf,
  'id' | 'name' | 'sizeBytes' | 'at' | 'deleted' | 'seen' | 'children' | 'hasFolders'
> & {
  readonly kind: ContainerOf['kind'] | 'subsites' | 'content';
  /** What a folder has instead of mails; of a team: a channel's folder of files or of tabs. */
  readonly holds?: 'calendars' | 'contacts' | 'tasks' | 'files' | 'tabs' | undefined;
};
export type ItemNode = Exclude<Node, ContainerOf>;

export interface NodePage<N> {
  readonly rows: readonly N[];
  readonly next: string | null;
  readonly count: number | null;
}
interface PageInput {
  readonly cursor?: string;
  readonly offset?: string;
  readonly limit: string;
  readonly search?: string;
}
export interface ItemQuery extends PageInput {
  readonly sort: 'name' | 'date' | 'size';
  readonly descending: 'true' | 'false';
}

/** What a restore page shows, and the calls that read it. Nothing of it is stored on this device. */
export interface WorkloadPage {
  readonly kind: WorkloadKind;
  /** The path of its page. */
  readonly page: string;
  readonly sessionType: InputOf<'openRestoreSession'>['sessionType'];
  readonly restoreCall:
    | 'restoreMailItems'
    | 'restoreDocuments'
    | 'restoreSiteDocuments'
    | 'restoreTeamFiles';
  listObjects(session: string, page: PageInput): Promise<Result<NodePage<ContainerNode>>>;
  listFolders(
    session: string,
    at: NodeAt,
    page: PageInput,
  ): Promise<Result<NodePage<ContainerNode>>>;
  listItems(session: string, at: NodeAt, query: ItemQuery): Promise<Result<NodePage<ItemNode>>>;
  /** Whether the node at the end of a path can have items, and so be searched. Absent: each can. */
  hasItems?(path: readonly string[]): boolean;
  getSize(
    session: string,
    nodes: readonly string[],
  ): Promise<Result<{ readonly items: number; readonly bytes: number }>>;
}
/** A mailbox, drive, site or team, and a folder in it; `folder` null: its top. */
export interface NodeAt {
  readonly object: string;
  readonly folder: string | null;
  /** What the folder is, if it is known. */
  readonly kind?: ContainerNode['kind'];
}

const [MAIL_SESSION, FILES_SESSION, SITES_SESSION, TEAMS_SESSION] = SESSION_TYPES;

const getParentInput = ({ folder }: NodeAt) => (folder === null ? {} : { parentId: folder });

export const OUTLOOK: WorkloadPage = {
  kind: 'outlook',
  page: '/o365/restore/outlook',
  sessionType: MAIL_SESSION,
  restoreCall: 'restoreMailItems',
  listObjects: (restoreSessionId, page) =>
    client().ask('listMailboxes', { restoreSessionId, ...page }),
  listFolders: (restoreSessionId, at, page) =>
    client().ask('listMailFolders', {
      restoreSessionId,
      mailboxId: at.object,
      ...getParentInput(at),
      ...page,
    }),
  listItems: (restoreSessionId, at, query) =>
    client().ask('listMailItems', {
      restoreSessionId,
      mailboxId: at.object,
      ...getParentInput(at),
      ...query,
    }),
  getSize: (restoreSessionId, nodes) =>
    client().ask('getMailDownloadSize', { restoreSessionId, nodes: [...nodes] }),
};

export const ONEDRIVE: WorkloadPage = {
  kind: 'onedrive',
  page: '/o365/restore/onedrive',
  sessionType: FILES_SESSION,
  restoreCall: 'restoreDocuments',
  listObjects: (restoreSessionId, page) =>
    client().ask('listDrives', { restoreSessionId, ...page }),
  listFolders: (restoreSessionId, at, page) =>
    client().ask('listDriveFolders', {
      restoreSessionId,
      onedriveId: at.object,
      ...getParentInput(at),
      ...page,
    }),
  listItems: (restoreSessionId, at, query) =>
    client().ask('listDocuments', {
      restoreSessionId,
      onedriveId: at.object,
      ...getParentInput(at),
      ...query,
    }),
  getSize: (restoreSessionId, nodes) =>
    client().ask('getDriveDownloadSize', { restoreSessionId, nodes: [...nodes] }),
};

/** Below a site, its subsites and its content are nodes of their own. */
const GROUPS = { subsites: treeMessages.subsites, content: treeMessages.content } as const;
const getGroup = (site: string, folder: string | null): keyof typeof GROUPS | null =>
  folder === `${site}.subsites` ? 'subsites' : folder === `${site}.content` ? 'content' : null;
const isContent = (path: readonly string[]): boolean =>
  getGroup(path.at(-2) ?? '', path.at(-1) ?? null) === 'content';
const EMPTY_PAGE = { rows: [], next: null, count: 0 };

const getGroups = (site: string): NodePage<ContainerNode> => ({
  rows: (['subsites', 'content'] as const).map((kind) => ({
    kind,
    id: `${site}.${kind}` as NodeId,
    name: GROUPS[kind],
    sizeBytes: null,
    at: null,
    deleted: false,
    seen: { first: 0, last: 0 },
    children: null,
  })),
  next: null,
  count: 2,
});

export const SHAREPOINT: WorkloadPage = {
  kind: 'sharepoint',
  page: '/o365/restore/sharepoint',
  sessionType: SITES_SESSION,
  restoreCall: 'restoreSiteDocuments',
  listObjects: (restoreSessionId, page) => client().ask('listSites', { restoreSessionId, ...page }),
  async listFolders(restoreSessionId, { object: siteId, folder }, page) {
    if (folder === null) return ok(getGroups(siteId));
    const input = { restoreSessionId, ...page };
    switch (getGroup(siteId, folder)) {
      case 'subsites':
        return client().ask('listSites', { ...input, parentId: siteId });
      case 'content':
        return client().ask('listSiteContent', { ...input, siteId });
      case null:
        return client().ask('listSiteFolders', { ...input, siteId, parentId: folder });
    }
  },
  async listItems(restoreSessionId, { object: siteId, folder, kind }, query) {
    if (folder === null || getGroup(siteId, folder) !== null) return ok(EMPTY_PAGE);
    const input = { restoreSessionId, siteId, parentId: folder, ...query };
    return kind === 'list'
      ? client().ask('listSiteItems', input)
      : client().ask('listSiteDocuments', input);
  },
  // A site has only what groups its subsites and its content.
  hasItems: (path) =>
    path.length > 1 && !path.slice(-2).some((id) => id.endsWith('.subsites')) && !isContent(path),
  getSize: (restoreSessionId, nodes) =>
    client().ask('getSiteDownloadSize', { restoreSessionId, nodes: [...nodes] }),
};

export const TEAMS: WorkloadPage = {
  kind: 'teams',
  page: '/o365/restore/teams',
  sessionType: TEAMS_SESSION,
  restoreCall: 'restoreTeamFiles',
  listObjects: (restoreSessionId, page) => client().ask('listTeams', { restoreSessionId, ...page }),
  listFolders: (restoreSessionId, at, page) =>
    client().ask('listTeamFolders', {
      restoreSessionId,
      teamId: at.object,
      ...getParentInput(at),
      ...page,
    }),
  listItems: (restoreSessionId, at, query) =>
    client().ask('listTeamItems', {
      restoreSessionId,
      teamId: at.object,
      ...getParentInput(at),
      ...query,
    }),
  getSize: (restoreSessionId, nodes) =>
    client().ask('getTeamDownloadSize', { restoreSessionId, nodes: [...nodes] }),
};

/** Whether what is open can be searched. */
export const canSearch = (
  { hasItems }: Pick<WorkloadPage, 'hasItems'>,
  path: readonly string[],
): boolean => path.length > 0 && hasItems?.(path) !== false;

/** Returns the words that are searched for. Where nothing can be searched, nothing is left out. */
export const getSearchText = (
  workload: Pick<WorkloadPage, 'hasItems'>,
  { path, text }: { readonly path: readonly string[]; readonly text: string },
): string => (canSearch(workload, path) ? text : '');
