import type { InputOf } from '#contract/calls.ts';
import type { ListChildrenInput, Node, Workload } from '#contract/engine/engine.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { withSession } from './scope.ts';

type Names =
  | 'listMailboxes'
  | 'listMailFolders'
  | 'listMailItems'
  | 'getMailDownloadSize'
  | 'listDrives'
  | 'listDriveFolders'
  | 'listDocuments'
  | 'getDriveDownloadSize';

const PAGE_ROWS = 200;

interface ListInput {
  readonly restoreSessionId: string;
  readonly search?: string | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: ListChildrenInput['sort'] | undefined;
  readonly descending?: boolean | undefined;
}
interface Rows<N> {
  rows: N[];
  next: string | null;
  count: number | null;
}

/** RES-20: what a restore session shows. The engine records each read (G63). */
export function restoreContentHandlers(world: AppContext): Pick<Handlers, Names> {
  const list = <K extends Node['kind']>(
    ctx: SessionContext,
    { cursor, limit = PAGE_ROWS, sort = 'date', ...input }: ListInput,
    workload: Workload,
    where: Pick<ListChildrenInput, 'parent' | 'within' | 'only'>,
    kinds: readonly K[],
  ): Promise<Result<Rows<Extract<Node, { kind: K }>>>> =>
    withSession(world, ctx, input, workload, async ({ engine, scope }) => {
      const page = getAnswer(
        await engine.listChildren(scope, {
          ...where,
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
    { restoreSessionId, nodes }: InputOf<'getMailDownloadSize'>,
    ctx: SessionContext,
    workload: Workload,
  ) =>
    withSession(world, ctx, { restoreSessionId }, workload, async ({ engine, scope }) =>
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
    getDriveDownloadSize: (input, ctx) => size(input, ctx, 'onedrive'),
  };
}

const TOP = { parent: null, only: 'all' } as const;
const getFolders = (within: string, parent: string) =>
  ({ within, parent, only: 'folders' }) as const;
const getItems = (within: string, parent: string) => ({ within, parent, only: 'items' }) as const;

const isKind = <K extends Node['kind']>(
  node: Node,
  kinds: readonly K[],
): node is Extract<Node, { kind: K }> => kinds.some((kind) => kind === node.kind);
