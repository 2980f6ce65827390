import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { ListChildrenInput, Node, RestoreInput } from '#contract/engine/engine.ts';
import { ok, type Result } from '#contract/result.ts';
import { CHANNEL_FILE_TYPES } from '#contract/restore/shapes.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { badField } from '#server/platform/auth/guards.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { restoreCallMessages as t } from './messages.en.ts';
import { startRestore } from './oversight/start.ts';
import { type EngineAt, runOnce, withSession } from './scope.ts';
import type { NodeId } from '#contract/ids.ts';

type Names =
  | 'listTeams'
  | 'listTeamChannels'
  | 'listTeamPosts'
  | 'listTeamFiles'
  | 'listTeamTabs'
  | 'listTeamFolders'
  | 'listTeamItems'
  | 'getTeamDownloadSize'
  | 'restoreTeam'
  | 'restoreTeamChannel'
  | 'restoreTeamFiles'
  | 'restoreTeamPosts'
  | 'restoreTeamTabs';
type ListInput = Omit<ParsedInputOf<'listTeams'>, 'offset'> & {
  readonly offset?: number | undefined;
  readonly sort?: ListChildrenInput['sort'] | undefined;
  readonly descending?: boolean | undefined;
};
type RestoreRequest = Omit<
  ParsedInputOf<'restoreTeamFiles'>,
  'teamId' | 'files' | 'fileVersion' | 'restorePermissions'
> & {
  readonly fileVersion?: 'All' | 'Last' | undefined;
  readonly restorePermissions?: boolean;
};
type Where = Pick<ListChildrenInput, 'parent' | 'within' | 'channel' | 'only'>;
type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>;

const PAGE_ROWS = 200;

/** RES-45: what a restore session shows of teams, and restores of them to their place. */
export function restoreTeamHandlers(context: AppContext): Pick<Handlers, Names> {
  const list = async <K extends Node['kind'], R>(
    ctx: SessionContext,
    input: ListInput,
    where: Where,
    kinds: readonly K[],
    toRow: (node: NodeOf<K>) => R,
  ): Promise<Result<{ rows: R[]; next: string | null; count: number | null }>> =>
    withSession(context, ctx, input, 'teams', async (at) => {
      const page = await readPage(at, input, where, kinds);
      return page.ok ? ok({ ...page.value, rows: page.value.rows.map(toRow) }) : page;
    });

  const restore = (
    ctx: SessionContext,
    request: RestoreRequest,
    within: NodeId,
    nodes: readonly NodeId[],
    team: NonNullable<RestoreInput['flags']['team']> = NO_TEAM,
  ): Promise<Result<OutputOf<'restoreTeam'>>> =>
    runOnce<OutputOf<'restoreTeam'>>(context, ctx, () =>
      withSession(context, ctx, request, 'teams', async (at) => {
        const { restoreMissingItems, restoreChangedItems } = request;
        if (!restoreMissingItems && !restoreChangedItems)
          return badField('restoreMissingItems', t.nothingSelected);
        const input: RestoreInput = {
          explorer: request.restoreSessionId,
          nodes,
          within,
          target: { kind: 'original' },
          select: restoreMissingItems ? (restoreChangedItems ? 'both' : 'missing') : 'changed',
          onConflict: request.onConflict ?? 'replace',
          versions: request.fileVersion === 'All' ? 'all' : 'last',
          flags: { ...NO_FLAGS, team, permissions: request.restorePermissions === true },
          dryRun: request.dryRun,
          reason: request.reason ?? null,
        };
        return startRestore(context, ctx, at, 'teams', input);
      }),
    );

  return {
    listTeams: (input, ctx) => list(ctx, input, TOP, ['team'], (node) => node),
    listTeamChannels: ({ teamId, ...input }, ctx) =>
      list(ctx, input, { within: teamId, parent: teamId, only: 'folders' }, ['channel'], toChannel),
    listTeamPosts: ({ teamId, channelId, ...input }, ctx) =>
      list(
        ctx,
        input,
        { within: teamId, parent: channelId, only: 'items' },
        ['post'],
        (node) => node,
      ),
    listTeamFiles: ({ teamId, channelId, parentId, ...input }, ctx) =>
      withSession(context, ctx, input, 'teams', async (at) => {
        const place = { team: teamId, channel: channelId, holds: 'files' } as const;
        const holder = parentId === undefined ? await findHolder(at, input, place) : ok(parentId);
        if (!holder.ok) return holder;
        if (holder.value === null) return ok(EMPTY);
        const where = { within: teamId, channel: channelId, parent: holder.value };
        const page = await readFiles(at, input, where);
        if (!page.ok) return page;
        const toRow = toFileRow(input, teamId, channelId);
        return ok({ ...page.value, rows: page.value.rows.map(toRow) });
      }),
    listTeamTabs: ({ teamId, channelId, ...input }, ctx) =>
      withSession(context, ctx, input, 'teams', async (at) => {
        const place = { team: teamId, channel: channelId, holds: 'tabs' } as const;
        const holder = await findHolder(at, input, place);
        if (!holder.ok) return holder;
        if (holder.value === null) return ok(EMPTY);
        const where = { within: teamId, parent: holder.value, only: 'items' } as const;
        const page = await readPage(at, input, where, ['tab']);
        if (!page.ok) return page;
        return ok({ ...page.value, rows: page.value.rows.map((node) => toTab(node, channelId)) });
      }),
    listTeamFolders: ({ teamId, parentId = teamId, ...input }, ctx) =>
      list(
        ctx,
        input,
        { within: teamId, parent: parentId, only: 'folders' },
        ['channel', 'dir'],
        (node) => (node.kind === 'channel' ? toChannel(node) : toFolder(input, teamId, null)(node)),
      ),
    listTeamItems: ({ teamId, parentId = teamId, ...input }, ctx) =>
      list(
        ctx,
        input,
        { within: teamId, parent: parentId, only: 'items' },
        ['post', 'file', 'tab', 'settings'],
        (node) =>
          node.kind === 'file'
            ? toFile(input, teamId, null)(node)
            : node.kind === 'tab'
              ? toTab(node, null)
              : node,
      ),
    getTeamDownloadSize: ({ restoreSessionId, nodes }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, 'teams', async ({ engine, scope }) =>
        getAnswer(await engine.getSize(scope, { explorer: restoreSessionId, nodes })),
      ),
    async restoreTeam(
      { teamId, restoreMembers: members, restoreSettings: settings, ...input },
      ctx,
    ) {
      const beside = { members, settings };
      const isForItems = input.restoreMissingItems || input.restoreChangedItems;
      if (isForItems || (!members && !settings))
        return restore(ctx, input, teamId, [teamId], beside);
      const { restoreSessionId } = input;
      const at = { within: teamId, parent: teamId, only: 'items' } as const;
      const stored = await list(ctx, { restoreSessionId }, at, ['settings'], ({ id }) => id);
      return stored.ok
        ? restore(ctx, { ...input, ...BOTH }, teamId, stored.value.rows, beside)
        : stored;
    },
    restoreTeamChannel: ({ teamId, channelId, ...input }, ctx) =>
      restore(ctx, input, teamId, [channelId]),
    restoreTeamFiles: ({ teamId, files, ...input }, ctx) => restore(ctx, input, teamId, files),
    restoreTeamPosts: ({ teamId, posts, ...input }, ctx) => restore(ctx, input, teamId, posts),
    restoreTeamTabs: ({ teamId, tabs, ...input }, ctx) => restore(ctx, input, teamId, tabs),
  };
}

/** Finds the folder of a channel that holds its files or tabs. */
async function findHolder(
  at: EngineAt,
  { restoreSessionId }: ListInput,
  { team, channel, holds }: { team: NodeId; channel: NodeId; holds: 'files' | 'tabs' },
): Promise<Result<NodeId | null>> {
  const where = { within: team, parent: channel, only: 'folders' } as const;
  const folders = await readPage(at, { restoreSessionId }, where, ['dir']);
  if (!folders.ok) return folders;
  return ok(folders.value.rows.find((node) => node.holds === holds)?.id ?? null);
}

const [FILE, FOLDER] = CHANNEL_FILE_TYPES;
const TOP = { parent: null, only: 'all' } as const;
const BOTH = { restoreMissingItems: true, restoreChangedItems: true };
const NO_TEAM = { members: false, settings: false };
const NO_FLAGS: RestoreInput['flags'] = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};

const toChannel = (node: NodeOf<'channel'>) => ({ ...node, displayName: node.name });
const toTab = (node: NodeOf<'tab'>, channelId: NodeId | null) => ({
  ...node,
  channelId: channelId ?? node.channel ?? null,
  displayName: node.name,
  type: node.app,
});
type OfSession = Pick<ListInput, 'restoreSessionId'>;
const getLinks = ({ restoreSessionId }: OfSession, team: NodeId) => {
  const files = `/api/v1/o365/restore/restoresessions/${restoreSessionId}/teams/${team}/files`;
  return { restore: `${files}/restore`, download: `${files}/download` };
};
/** `channelId` null: the engine says it of each node. */
const toFile =
  (session: OfSession, team: NodeId, channelId: NodeId | null) => (node: NodeOf<'file'>) => ({
    ...node,
    channelId: channelId ?? node.channel ?? null,
    fileType: FILE,
    links: getLinks(session, team),
    modified: node.at,
    modifiedBy: node.author,
  });
const toFolder =
  (session: OfSession, team: NodeId, channelId: NodeId | null) => (node: NodeOf<'dir'>) => ({
    ...node,
    channelId: channelId ?? node.channel ?? null,
    fileType: FOLDER,
    links: getLinks(session, team),
  });
const toFileRow =
  (session: OfSession, team: NodeId, channelId: NodeId) => (node: NodeOf<'file' | 'dir'>) =>
    node.kind === 'dir'
      ? toFolder(session, team, channelId)(node)
      : toFile(session, team, channelId)(node);

/** The cursor of a page that continues in the folders begins so; `files:` begins with the files. */
const IN_FOLDERS = 'folders:';
const IN_FILES = 'files:';

/** Reads a page of folders and files: first the folders, as if they were one list. */
async function readFiles(
  at: EngineAt,
  input: ListInput,
  where: Omit<Where, 'only'>,
): Promise<Result<{ rows: NodeOf<'file' | 'dir'>[]; next: string | null; count: number | null }>> {
  const { offset = 0, limit = PAGE_ROWS, cursor, ...query } = input;
  const readFolders = (part: Partial<ListInput>) =>
    readPage(at, { ...query, ...part }, { ...where, only: 'folders' }, ['dir']);
  const readItems = (part: Partial<ListInput>) =>
    readPage(at, { ...query, ...part }, { ...where, only: 'items' }, ['file']);
  if (cursor?.startsWith(IN_FILES) === true) {
    const rest = cursor.slice(IN_FILES.length);
    const files = await readItems({ limit, ...(rest !== '' && { cursor: rest }) });
    return files.ok
      ? ok({ ...files.value, count: null, next: mark(IN_FILES, files.value.next) })
      : files;
  }
  const rest = cursor?.replace(new RegExp(`^${IN_FOLDERS}`), '');
  const folders = await readFolders({ limit, offset, ...(rest !== undefined && { cursor: rest }) });
  if (!folders.ok) return folders;
  const { rows, next } = folders.value;
  // Beyond the folders, a server doesn't say how many there are.
  const total =
    rows.length > 0 || cursor !== undefined || folders.value.count !== null
      ? ok(folders.value.count)
      : await countFolders(readFolders);
  if (!total.ok) return total;
  const all = cursor === undefined ? (total.value ?? 0) : 0;
  const left = limit - rows.length;
  const files = await readItems({
    limit: Math.max(1, left),
    offset: cursor === undefined ? Math.max(0, offset - all) : 0,
  });
  if (!files.ok) return files;
  const isCounted = cursor === undefined && total.value !== null && files.value.count !== null;
  const count = isCounted ? all + (files.value.count ?? 0) : null;
  if (next !== null) return ok({ rows, next: mark(IN_FOLDERS, next), count });
  if (left === 0) return ok({ rows, next: files.value.rows.length > 0 ? IN_FILES : null, count });
  return ok({
    rows: [...rows, ...files.value.rows],
    next: mark(IN_FILES, files.value.next),
    count,
  });
}

/** Counts folders. A server says with their last page only how many there are. */
async function countFolders(
  read: (
    part: Partial<ListInput>,
  ) => Promise<Result<{ rows: unknown[]; next: string | null; count: number | null }>>,
): Promise<Result<number>> {
  let count = 0;
  for (let cursor: string | undefined; ;) {
    const page = await read({ limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) });
    if (!page.ok) return page;
    if (page.value.count !== null && cursor === undefined) return ok(page.value.count);
    count += page.value.rows.length;
    if (page.value.next === null) return ok(count);
    cursor = page.value.next;
  }
}
const mark = (list: string, cursor: string | null): string | null =>
  cursor === null ? null : `${list}${cursor}`;
const EMPTY = { rows: [], next: null, count: 0 };

async function readPage<K extends Node['kind']>(
  { engine, scope }: EngineAt,
  {
    restoreSessionId,
    search,
    offset = 0,
    cursor,
    limit = PAGE_ROWS,
    sort = 'date',
    descending,
  }: ListInput,
  where: Where,
  kinds: readonly K[],
) {
  const page = getAnswer(
    await engine.listChildren(scope, {
      ...where,
      kinds,
      explorer: restoreSessionId,
      text: search === undefined || search === '' ? null : search,
      offset,
      sort,
      descending: descending ?? sort !== 'name',
      cursor: cursor ?? null,
      limit,
    }),
  );
  return page.ok
    ? ok({
        ...page.value,
        rows: page.value.rows.filter((node): node is NodeOf<K> =>
          kinds.some((kind) => kind === node.kind),
        ),
      })
    : page;
}
