import type { OutputOf } from '#contract/calls.ts';
import type { FoundItem } from '#contract/engine/search.ts';
import type { Workload } from '#contract/engine/engine.ts';
import { ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { FORBIDDEN_RESULT } from '#server/platform/auth/guards.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import {
  getSessionType,
  mayRestore,
  withOrganization,
  withSession,
  SESSION_WORKLOADS,
} from './scope.ts';

type Names = 'searchBackups' | 'locateBackupItem' | 'nameRestoreNodes';
const PAGE_ROWS = 100;

/** RES-80: one search over all services that the caller may restore. */
export function restoreSearchHandlers(context: AppContext): Pick<Handlers, Names> {
  return {
    async searchBackups({ search, sessionType, deleted, cursor, limit = PAGE_ROWS, ...of }, ctx) {
      const wanted: readonly Workload[] =
        sessionType === undefined
          ? Object.values(SESSION_WORKLOADS)
          : [SESSION_WORKLOADS[sessionType]];
      const workloads = wanted.filter((workload) => mayRestore(ctx.session, workload));
      if (workloads.length === 0) return FORBIDDEN_RESULT;
      return withOrganization(context, ctx, of, async ({ engine, scope }) => {
        const page = getAnswer(
          await engine.search(scope, {
            text: search,
            workloads,
            deleted: deleted ?? null,
            cursor: cursor ?? null,
            limit,
          }),
        );
        return page.ok ? ok({ ...page.value, rows: page.value.rows.map(foundOut) }) : page;
      });
    },

    locateBackupItem: ({ restoreSessionId, itemId }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, null, async ({ engine, scope }) => {
        const place = getAnswer(
          await engine.locateItem(scope, { explorer: restoreSessionId, node: itemId }),
        );
        if (!place.ok) return place;
        const { objects, folders, index } = place.value;
        return ok({ objects: [...objects], folders: [...folders], index });
      }),

    nameRestoreNodes: ({ restoreSessionId, nodes }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, null, async ({ engine, scope }) => {
        const named = getAnswer(
          await engine.nameNodes(scope, { explorer: restoreSessionId, nodes }),
        );
        return named.ok
          ? ok({ rows: named.value.map((node) => ({ ...node, object: { ...node.object } })) })
          : named;
      }),
  };
}

const foundOut = ({
  node,
  workload,
  object,
  path,
  versions,
  point,
  openAt,
  isInText,
}: FoundItem): OutputOf<'searchBackups'>['rows'][number] => ({
  id: node.id,
  kind: node.kind,
  name: node.name,
  people: getPeople(node),
  sizeBytes: node.sizeBytes,
  at: node.at,
  deleted: node.deleted,
  seen: { ...node.seen },
  versions,
  sessionType: getSessionType(workload),
  object: { ...object },
  path: [...path],
  point,
  openAt,
  isInText,
});

/** Sender and recipients of a mail, who changed a file, who wrote a post. */
export function getPeople(node: FoundItem['node']): string {
  if ('people' in node) return node.people;
  return 'author' in node ? node.author : '';
}
