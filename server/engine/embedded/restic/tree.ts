import type { EngineResult } from '#contract/engine/engine.ts';
import * as v from 'valibot';
import type { Bytes, Ms } from '#contract/ids.ts';
import { quoteName, unquoteName } from './go-quote.ts';
import type { BlobId } from './pack.ts';
import { failed, type Failed, ok } from '../../result.ts';
import { resticMessages as t } from './messages.en.ts';

/** What a folder of a restore point contains. */
export type TreeNode =
  | {
      readonly kind: 'dir';
      readonly name: string;
      readonly modifiedAt: Ms;
      readonly subtree: BlobId;
    }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly modifiedAt: Ms;
      readonly sizeBytes: Bytes;
      readonly content: readonly BlobId[];
    };

/** restic also stores links, devices and pipes, which Daybook never writes. */
export type StoredNode = TreeNode | { readonly kind: 'other'; readonly name: string };

const DIR_MODE = 2 ** 31 + 0o755; // Go's bit for folders
const FILE_MODE = 0o644;

/**
 * The bytes of a tree: nodes in the order of the bytes of their names, fields in restic's order, so
 * that the same folder always gets the same id. Names that a folder on a disk can't have are
 * `invalid`, as are two equal ones.
 */
export function encodeTree(nodes: readonly TreeNode[]): EngineResult<Uint8Array> {
  const named = nodes
    .map((node) => ({ node, bytes: Buffer.from(node.name) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  for (const [at, { node, bytes }] of named.entries()) {
    if (!isNodeName(node.name)) return failed('invalid', t.nodeNameInvalid);
    if (named[at + 1]?.bytes.equals(bytes) === true) return failed('invalid', t.nameTwice);
  }
  const json = JSON.stringify({ nodes: named.map(({ node }) => encodeNode(node)) });
  return ok(Buffer.from(`${escapeAsGo(json)}\n`));
}

const isNodeName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  !/[/\0]/.test(name) &&
  name.isWellFormed() &&
  Buffer.byteLength(name) <= MAX_NAME_BYTES;
const MAX_NAME_BYTES = 255;

function encodeNode(node: TreeNode): Readonly<Record<string, unknown>> {
  const time = formatTime(node.modifiedAt);
  return {
    name: quoteName(node.name),
    type: node.kind,
    mode: node.kind === 'dir' ? DIR_MODE : FILE_MODE,
    mtime: time,
    atime: time,
    ctime: time,
    uid: 0,
    gid: 0,
    ...(node.kind === 'file' && node.sizeBytes > 0 ? { size: node.sizeBytes } : {}),
    content: node.kind === 'file' ? node.content : null,
    ...(node.kind === 'dir' ? { subtree: node.subtree } : {}),
  };
}

/** Go's JSON escapes what HTML could misread. */
const escapeAsGo = (json: string): string =>
  json.replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * As Go writes times: in UTC, without zeros at the end of the fraction. Times outside of the years 1
 * to 9999, which Go doesn't read, become the nearest inside.
 */
export const formatTime = (ms: Ms): string =>
  new Date(Math.min(Math.max(ms || 0, Date.parse('0001-01-01')), Date.parse('9999-12-31')))
    .toISOString()
    .replace(/\.?0*Z$/, 'Z');

export function decodeTree(bytes: Uint8Array): EngineResult<StoredNode[]> {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return unreadableFolder();
  }
  const parsed = v.safeParse(TREE, document);
  return parsed.success ? ok(parsed.output.nodes.map(decodeNode)) : unreadableFolder();
}
const unreadableFolder = (): Failed => failed('damaged', t.folderUnreadable);

function decodeNode(stored: v.InferOutput<typeof NODE>): StoredNode {
  const name = unquoteName(stored.name);
  const modifiedAt = Date.parse(stored.mtime ?? '') || 0;
  if (stored.type === 'dir' && typeof stored.subtree === 'string')
    return { kind: 'dir', name, modifiedAt, subtree: stored.subtree };
  if (stored.type === 'file')
    return {
      kind: 'file',
      name,
      modifiedAt,
      sizeBytes: stored.size ?? 0,
      content: stored.content ?? [],
    };
  return { kind: 'other', name };
}

const ID = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const NODE = v.object({
  name: v.string(),
  type: v.string(),
  mtime: v.optional(v.string()),
  size: v.optional(v.number()),
  content: v.nullish(v.array(ID)),
  subtree: v.nullish(ID),
});
const TREE = v.object({ nodes: v.nullish(v.array(NODE), []) });
