import type { EngineResult } from '#contract/engine/engine.ts';
import * as v from 'valibot';
import type { Ms } from '#contract/ids.ts';
import { APP_VERSION } from '#contract/app-version.ts';
import type { BlobId } from './pack.ts';
import { failed, ok } from '../../result.ts';
import { formatTime } from './tree.ts';
import { resticMessages as t } from './messages.en.ts';

/** A restore point, as restic stores it. */
export interface Snapshot {
  /** The hash of its file. */
  readonly id: string;
  readonly at: Ms;
  readonly tree: BlobId;
  readonly parent: string | null;
  readonly paths: readonly string[];
  readonly tags: readonly string[];
  readonly hostname: string;
  readonly username: string;
}
export type NewSnapshot = Pick<Snapshot, 'at' | 'tree' | 'parent' | 'paths' | 'tags' | 'username'>;

export const encodeSnapshot = (snapshot: NewSnapshot): string =>
  JSON.stringify({
    time: formatTime(snapshot.at),
    ...(snapshot.parent === null ? {} : { parent: snapshot.parent }),
    tree: snapshot.tree,
    paths: snapshot.paths,
    hostname: 'daybook',
    username: snapshot.username,
    ...(snapshot.tags.length > 0 ? { tags: snapshot.tags } : {}),
    program_version: `daybook ${APP_VERSION}`,
  });

export function decodeSnapshot(id: string, document: unknown): EngineResult<Snapshot> {
  const parsed = v.safeParse(SNAPSHOT, document);
  if (!parsed.success) return failed('damaged', t.pointUnreadable({ id }));
  const { time, ...rest } = parsed.output;
  return ok({ ...rest, id, at: Date.parse(time) });
}

const ID = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const SNAPSHOT = v.object({
  time: v.pipe(
    v.string(),
    v.check((time) => !Number.isNaN(Date.parse(time))),
  ),
  parent: v.nullish(ID, null),
  tree: ID,
  paths: v.nullish(v.array(v.string()), []),
  tags: v.nullish(v.array(v.string()), []),
  hostname: v.optional(v.string(), ''),
  username: v.optional(v.string(), ''),
});
