import type { NodeId } from '#contract/ids.ts';
/**
 * Ids of nodes: `o5` is the object with number 5 (a mailbox, a drive), `f5.7` its folder version 7,
 * `i5.9` its item version 9. They name rows of the tenant and grant nothing: every read checks that
 * the row belongs to the explorer.
 */
export type NodeRef =
  | { readonly kind: 'object'; readonly object: number }
  | { readonly kind: 'folder' | 'item'; readonly object: number; readonly n: number };

export const objectId = (object: number): NodeId => `o${object}` as NodeId;
export const folderId = (object: number, n: number): NodeId => `f${object}.${n}` as NodeId;
export const itemId = (object: number, n: number): NodeId => `i${object}.${n}` as NodeId;

/** Returns null for text that isn't an id of a node. */
export function parseNodeId(id: string): NodeRef | null {
  const found = /^(?:o([1-9]\d{0,14})|([fi])([1-9]\d{0,14})\.([1-9]\d{0,14}))$/.exec(id);
  if (found === null) return null;
  const [, object, letter, parent, n] = found;
  return object === undefined
    ? { kind: letter === 'f' ? 'folder' : 'item', object: Number(parent), n: Number(n) }
    : { kind: 'object', object: Number(object) };
}

/** Whether a node belongs to the mailbox or drive `within`, if one is given. */
export function isWithinObject({ object }: NodeRef, within: string | undefined): boolean {
  if (within === undefined) return true;
  const top = parseNodeId(within);
  return top?.kind === 'object' && top.object === object;
}
