import * as v from 'valibot';
import type { EngineError } from '#contract/engine/engine.ts';
import type { SourceObject, StoredItem, Writer, Written } from '../types.ts';
import { contentFailure, parseContent } from '../sources/content.ts';
import { sortGrants } from '../sources/share.ts';
import { getGrants, type SharingPermission } from '../sources/sharing.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { RunningTask } from './running-task.ts';
import { joinNames } from './sentences.ts';

const Stored = v.object({ permissions: v.array(v.unknown()) });

/** Returns who a backed-up file was shared with, besides what it inherited. */
export async function readStoredGrants(
  task: Pick<RunningTask, 'content'>,
  { kind, parts }: Pick<StoredItem, 'kind' | 'parts'>,
): Promise<readonly SharingPermission[]> {
  const part = parts.find(({ as }) => as === 'json');
  if (kind !== 'file' || part === undefined) return [];
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of task.content.read(part)) pieces.push(piece);
  } catch (error) {
    contentFailure(error);
    return [{ kind: 'other', name: t.unreadableSharing }];
  }
  const stored = v.safeParse(Stored, parseContent(Buffer.concat(pieces)));
  return stored.success
    ? getGrants(stored.output.permissions)
    : [{ kind: 'other', name: t.unreadableSharing }];
}

/** Says what will come of the sharing of an item, as its dry run shows it (RES-6). */
export function announce(
  grants: readonly SharingPermission[],
  isWanted: boolean,
  now: number,
): string {
  if (grants.length === 0) return '';
  if (!isWanted) return t.notShared;
  const { wanted, lacks } = sortGrants(grants, now);
  const people = wanted.filter(({ kind }) => kind === 'person').length;
  return describe(t.willShare, t.willLink, { people, links: wanted.length - people, lacks });
}

interface Given {
  readonly people: number;
  readonly links: number;
  readonly lacks: readonly string[];
}
type CountMessage = (values: { readonly count: number }) => string;

function describe(people: CountMessage, links: CountMessage, given: Given): string {
  return [
    given.people > 0 ? people({ count: given.people }) : '',
    given.links > 0 ? links({ count: given.links }) : '',
    given.lacks.length > 0 ? describeLacks(given.lacks) : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

export const describeLacks = (lacks: readonly string[]): string =>
  t.notSharedWith({ names: joinNames(lacks) });

/** What sharing an item again came to. `written`: its state afterwards. */
export interface SharedItem {
  readonly written: Written;
  readonly message: string;
  readonly added: readonly string[];
  readonly lacks: readonly string[];
}

/**
 * Shares what a restore created as its backup was, and does so once however often it is called.
 * Returned as an error: why the task has to wait.
 */
export async function shareAgain(
  task: RunningTask,
  writer: Writer,
  object: SourceObject,
  written: Written,
  grants: readonly SharingPermission[],
): Promise<
  | { readonly ok: true; readonly value: SharedItem }
  | { readonly ok: false; readonly error: EngineError }
> {
  const shared = await writer.share?.(object, written, grants, task);
  if (shared?.ok) {
    const { changeKey, added, ...given } = shared.value;
    const message = describe(t.shared, t.linked, given);
    return {
      ok: true,
      value: { written: { ...written, changeKey }, message, added, lacks: given.lacks },
    };
  }
  if (shared !== undefined && PASSING.has(shared.error.kind)) return shared;
  const reason = shared === undefined ? t.notShareable : shared.error.message;
  return {
    ok: true,
    value: { written, message: t.sharingFailed({ reason }), added: [], lacks: [reason] },
  };
}
const PASSING: ReadonlySet<EngineError['kind']> = new Set(['busy', 'unreachable', 'refused']);
