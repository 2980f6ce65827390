import type { OutputOf } from '#contract/calls.ts';
import type { ComparedItem } from '#contract/engine/compare.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { type EngineAt, withSession } from '../scope.ts';
import { getPeople } from '../search.ts';
import { compareLines, isSameText } from '../versions/compare-texts.ts';
import { readVersion } from '../versions/read-version.ts';
import type { ExplorerId } from '#contract/ids.ts';

type Names = 'compareWithProduction' | 'compareFolderWithProduction';
type Compared = OutputOf<'compareWithProduction'>;
/** Each item is up to two requests in a batch of twenty, and what changed up to three more. */
const PAGE_ROWS = 50;
const MAX_PAGE_ROWS = 100;

/** RES-82: compares backed-up items with those in Microsoft 365 now. */
export function restoreCompareHandlers(context: AppContext): Pick<Handlers, Names> {
  return {
    compareWithProduction: ({ restoreSessionId, itemId }, ctx) =>
      withSession<Compared>(context, ctx, { restoreSessionId }, null, async (at) => {
        const compared = getAnswer(
          await at.engine.compare(at.scope, { explorer: restoreSessionId, node: itemId }),
        );
        return compared.ok
          ? compareContent(context, at, restoreSessionId, compared.value)
          : compared;
      }),

    compareFolderWithProduction: ({ restoreSessionId, folderId, cursor, limit = PAGE_ROWS }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, null, async ({ engine, scope }) => {
        const page = getAnswer(
          await engine.compareFolder(scope, {
            explorer: restoreSessionId,
            parent: folderId,
            cursor: cursor ?? null,
            limit: Math.min(limit, MAX_PAGE_ROWS),
          }),
        );
        return page.ok ? ok({ ...page.value, rows: page.value.rows.map(comparedOut) }) : page;
      }),
  };
}

/** Reads both contents if they differ, or if nothing else tells. */
async function compareContent(
  context: AppContext,
  at: EngineAt,
  explorer: ExplorerId,
  { node, state, properties, content, productionBytes }: ComparedItem,
): Promise<Result<Compared>> {
  const compared = { state, properties: properties.map((one) => ({ ...one })), content };
  const isRead = content === 'changed' || content === 'unknown';
  if (!isRead || productionBytes === null) return ok({ ...compared, lines: null, reason: null });
  const { engine } = at;
  const production: EngineAt = {
    ...at,
    engine: { ...engine, readContent: (of, input) => engine.readProduction(of, input) },
  };
  const before = await readVersion(context, at, explorer, node);
  if (!before.ok) return before;
  const now = await readVersion(context, production, explorer, {
    ...node,
    sizeBytes: Math.max(node.sizeBytes ?? 0, productionBytes),
  });
  if (!now.ok) return now;
  const text = compareLines(before.value, now.value);
  if (content === 'changed') return ok({ ...compared, ...text });
  if (text.lines === null && text.reason !== 'too-different') return ok({ ...compared, ...text });
  const isSame = isSameText(before.value, now.value, text.lines);
  return ok({
    ...compared,
    state: isSame ? state : 'changed',
    content: isSame ? 'same' : 'changed',
    ...text,
  });
}

const comparedOut = ({
  node,
  state,
  properties,
}: ComparedItem): OutputOf<'compareFolderWithProduction'>['rows'][number] => ({
  id: node.id,
  kind: node.kind,
  name: node.name,
  people: getPeople(node),
  at: node.at,
  sizeBytes: node.sizeBytes,
  state,
  differing: properties.flatMap(({ name, isSame }) => (isSame ? [] : [name])),
});
