import type { OutputOf } from '#contract/calls.ts';
import type { ItemVersion } from '#contract/engine/search.ts';
import { ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { getPeople } from '../search.ts';
import { withSession } from '../scope.ts';
import { compareLines } from './compare-texts.ts';
import { readVersion, type VersionText } from './read-version.ts';

type Names = 'listItemVersions' | 'compareItemVersions';
type Compared = OutputOf<'compareItemVersions'>;

/** RES-81: versions of an item, and how two of them differ. */
export function restoreVersionHandlers(context: AppContext): Pick<Handlers, Names> {
  return {
    listItemVersions: ({ restoreSessionId, itemId }, ctx) =>
      withSession(context, ctx, { restoreSessionId }, null, async ({ engine, scope }) => {
        const versions = getAnswer(
          await engine.listVersions(scope, { explorer: restoreSessionId, node: itemId }),
        );
        return versions.ok ? ok({ rows: versions.value.map(versionOut) }) : versions;
      }),

    compareItemVersions: ({ restoreSessionId, beforeId, afterId }, ctx) =>
      withSession<Compared>(context, ctx, { restoreSessionId }, null, async (at) => {
        const versions = getAnswer(
          await at.engine.listVersions(at.scope, { explorer: restoreSessionId, node: afterId }),
        );
        if (!versions.ok) return versions;
        const before = versions.value.find(({ node }) => node.id === beforeId);
        const after = versions.value.find(({ node }) => node.id === afterId);
        if (before === undefined || after === undefined) return NOT_FOUND_RESULT;
        const texts: VersionText[] = [];
        for (const { node } of [before, after]) {
          const read = await readVersion(context, at, restoreSessionId, node);
          if (!read.ok) return read;
          texts.push(read.value);
        }
        const [first, second] = texts;
        if (first === undefined || second === undefined) return NOT_FOUND_RESULT;
        return ok({
          isSameContent: before.content === after.content,
          fields: first.fields.map(({ name, value }) => ({
            name,
            before: value,
            after: second.fields.find((field) => field.name === name)?.value ?? '',
          })),
          ...compareLines(first, second),
        });
      }),
  };
}

const versionOut = ({
  node,
  version,
  content,
}: ItemVersion): OutputOf<'listItemVersions'>['rows'][number] => ({
  id: node.id,
  kind: node.kind,
  name: node.name,
  people: getPeople(node),
  sizeBytes: node.sizeBytes,
  at: node.at,
  version,
  seen: { ...node.seen },
  content,
});
