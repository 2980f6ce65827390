import type { ParsedInputOf } from '#contract/calls.ts';
import type { ListChildrenInput, Node, Workload } from '#contract/engine/engine.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { restoreCallMessages as t } from './messages.en.ts';
import { readRow } from './row.ts';
import { withSession } from './scope.ts';
import type { ExplorerId, NodeId } from '#contract/ids.ts';

type Names =
  | 'listMailboxes'
  | 'listMailFolders'
  | 'listMailItems'
  | 'getMailDownloadSize'
  | 'listDrives'
  | 'listDriveFolders'
  | 'listDocuments'
  | 'listFolderDocuments'
  | 'getDriveDownloadSize'
  | SiteNames;
type SiteNames =
  | 'listSites'
  | 'listSiteContent'
  | 'listSiteFolders'
  | 'listSiteDocuments'
  | 'listSiteItems'
  | 'getSiteItem'
  | 'getSiteDownloadSize';

const PAGE_ROWS = 200;

interface ListInput {
  readonly restoreSessionId: ExplorerId;
  readonly search?: string | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: ListChildrenInput['sort'] | undefined;
  readonly descending?: boolean | undefined;
}
type NodeOf<K extends Node['kind']> = Node & { readonly kind: K };
interface Rows<N> {
  rows: N[];
  next: string | null;
  count: number | null;
}

/** RES-20: what a restore session shows. The engine records each read (G63). */
export function restoreContentHandlers(context: AppContext): Pick<Handlers, Names> {
  const list = <K extends Node['kind']>(
    ctx: SessionContext,
    { cursor, limit = PAGE_ROWS, sort = 'date', ...input }: ListInput,
    workload: Workload,
    where: Pick<ListChildrenInput, 'parent' | 'within' | 'only'>,
    kinds: readonly K[],
  ): Promise<Result<Rows<NodeOf<K>>>> =>
    withSession(context, ctx, input, workload, async ({ engine, scope }) => {
      const page = getAnswer(
        await engine.listChildren(scope, {
          ...where,
          kinds,
          explorer: input.restoreSessionId,
          text: input.search === undefined || input.search === '' ? null : input.search,
          offset: input.offset ?? 0,
          sort,
          descending: input.descending ?? sort !== 'name',
          cursor: cursor ?? null,
          limit,
        }),
      );
      return page.ok
        ? ok({ ...page.value, rows: page.value.rows.filter((node) => isKind(node, kinds)) })
        : page;
    });

  const size = (
    { restoreSessionId, nodes }: ParsedInputOf<'getMailDownloadSize'>,
    ctx: SessionContext,
    workload: Workload,
  ) =>
    withSession(context, ctx, { restoreSessionId }, workload, async ({ engine, scope }) =>
      getAnswer(await engine.getSize(scope, { explorer: restoreSessionId, nodes })),
    );

  return {
    listMailboxes: (input, ctx) => list(ctx, input, 'outlook', TOP, ['mailbox', 'archive']),
    listMailFolders: ({ mailboxId, parentId = mailboxId, ...input }, ctx) =>
      list(ctx, input, 'outlook', getFolders(mailboxId, parentId), ['folder']),
    listMailItems: ({ mailboxId, parentId = mailboxId, ...input }, ctx) =>
      list(ctx, input, 'outlook', getItems(mailboxId, parentId), [
        'mail',
        'event',
        'contact',
        'task',
        'note',
      ]),
    getMailDownloadSize: (input, ctx) => size(input, ctx, 'outlook'),

    listDrives: (input, ctx) => list(ctx, input, 'onedrive', TOP, ['drive']),
    listDriveFolders: ({ onedriveId, parentId = onedriveId, ...input }, ctx) =>
      list(ctx, input, 'onedrive', getFolders(onedriveId, parentId), ['dir']),
    listDocuments: ({ onedriveId, parentId = onedriveId, ...input }, ctx) =>
      list(ctx, input, 'onedrive', getItems(onedriveId, parentId), ['file']),
    listFolderDocuments: ({ onedriveId, folderId, ...input }, ctx) =>
      list(ctx, input, 'onedrive', getItems(onedriveId, folderId), ['file']),
    getDriveDownloadSize: (input, ctx) => size(input, ctx, 'onedrive'),

    async listSites({ parentId, ...input }, ctx) {
      const where =
        parentId === undefined
          ? TOP
          : ({ within: parentId, parent: parentId, only: 'objects' } as const);
      return mapRows(await list(ctx, input, 'sharepoint', where, ['site']), siteOut);
    },
    listSiteContent: async ({ siteId, ...input }, ctx) =>
      mapRows(
        await list(ctx, input, 'sharepoint', getFolders(siteId, siteId), ['library', 'list']),
        partOut,
      ),
    listSiteFolders: async ({ siteId, parentId = siteId, ...input }, ctx) =>
      mapRows(
        await list(ctx, input, 'sharepoint', getFolders(siteId, parentId), ['dir', 'list']),
        dirOut,
      ),
    listSiteDocuments: ({ siteId, parentId = siteId, ...input }, ctx) =>
      list(ctx, input, 'sharepoint', getItems(siteId, parentId), ['file']),
    async listSiteItems({ siteId, parentId = siteId, ...input }, ctx) {
      const page = await list(ctx, input, 'sharepoint', getItems(siteId, parentId), ['row']);
      return mapRows(page, (row) => ({ ...row, fields: { ...row.fields } }));
    },
    getSiteItem: (input, ctx) => readRow(context, ctx, input),
    getSiteDownloadSize: (input, ctx) => size(input, ctx, 'sharepoint'),
  };
}

const mapRows = <A, B>(page: Result<Rows<A>>, change: (row: A) => B): Result<Rows<B>> =>
  page.ok ? ok({ ...page.value, rows: page.value.rows.map(change) }) : page;

const siteOut = ({ address, subsites, ...site }: NodeOf<'site'>) => ({
  ...site,
  type: 'site' as const,
  siteURL: address,
  nodes: [
    { type: 'subsites' as const, name: t.subsites, count: subsites },
    { type: 'content' as const, name: t.content, count: null },
  ],
});

type Folder = NodeOf<'library' | 'list' | 'dir'>;
const folderOut =
  <K extends Folder['kind']>(getKind: (kind: Folder['kind']) => K) =>
  ({ kind, address, ...folder }: Folder) => ({
    ...folder,
    kind: getKind(kind),
    folderType: kind === 'list' ? ('ListFolder' as const) : ('LibraryFolder' as const),
    siteURL: address ?? '',
  });
const partOut = folderOut((kind) => (kind === 'list' ? 'list' : 'library'));
const dirOut = folderOut((kind) => (kind === 'list' ? 'list' : 'dir'));

const TOP = { parent: null, only: 'all' } as const;
const getFolders = (within: NodeId, parent: NodeId) =>
  ({ within, parent, only: 'folders' }) as const;
const getItems = (within: NodeId, parent: NodeId) => ({ within, parent, only: 'items' }) as const;

const isKind = <K extends Node['kind']>(node: Node, kinds: readonly K[]): node is NodeOf<K> =>
  kinds.some((kind) => kind === node.kind);
