import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { ListChildrenInput, Node, RestoreInput } from '#contract/engine/engine.ts';
import { ok, type Result } from '#contract/result.ts';
import { FILE_TYPES } from '#contract/restore/shapes.ts';
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
  'teamId' | 'files' | 'fileVersion'
> & {
  readonly fileVersion?: 'All' | 'Last' | undefined;
};
type Where = Pick<ListChildrenInput, 'parent' | 'within' | 'only'>;
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

  /** Lists the folder of a channel that holds its files or tabs; without one, there are none. */
  const listHeld = async <K extends Node['kind'], R>(
    ctx: SessionContext,
    input: ListInput,
    { team, channel, holds }: { team: NodeId; channel: NodeId; holds: 'files' | 'tabs' },
    kind: K,
    toRow: (node: NodeOf<K>) => R,
  ): Promise<Result<{ rows: R[]; next: string | null; count: number | null }>> =>
    withSession(context, ctx, input, 'teams', async (at) => {
      const { restoreSessionId } = input;
      const folders = await readPage(
        at,
        { restoreSessionId },
        { within: team, parent: channel, only: 'folders' },
        ['dir'],
      );
      if (!folders.ok) return folders;
      const parent = folders.value.rows.find((node) => node.holds === holds)?.id;
      if (parent === undefined) return ok({ rows: [], next: null, count: 0 });
      const page = await readPage(at, input, { within: team, parent, only: 'items' }, [kind]);
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
          flags: { ...NO_FLAGS, team },
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
      parentId === undefined
        ? listHeld(
            ctx,
            input,
            { team: teamId, channel: channelId, holds: 'files' },
            'file',
            toFile(input, teamId, channelId),
          )
        : list(
            ctx,
            input,
            { within: teamId, parent: parentId, only: 'items' },
            ['file'],
            toFile(input, teamId, channelId),
          ),
    listTeamTabs: ({ teamId, channelId, ...input }, ctx) =>
      listHeld(ctx, input, { team: teamId, channel: channelId, holds: 'tabs' }, 'tab', (node) =>
        toTab(node, channelId),
      ),
    listTeamFolders: ({ teamId, parentId = teamId, ...input }, ctx) =>
      list(
        ctx,
        input,
        { within: teamId, parent: parentId, only: 'folders' },
        ['channel', 'dir'],
        (node) => (node.kind === 'channel' ? toChannel(node) : { ...node, fileType: FOLDER }),
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

const [FILE, FOLDER] = FILE_TYPES;
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
  channelId,
  displayName: node.name,
  type: node.app,
});
const toFile = (
  { restoreSessionId }: Pick<ListInput, 'restoreSessionId'>,
  team: NodeId,
  channelId: NodeId | null,
) => {
  const files = `/api/v1/o365/restore/restoresessions/${restoreSessionId}/teams/${team}/files`;
  const links = { restore: `${files}/restore`, download: `${files}/download` };
  return (node: NodeOf<'file'>) => ({
    ...node,
    channelId,
    fileType: FILE,
    links,
    modified: node.at,
    modifiedBy: node.author,
  });
};

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
