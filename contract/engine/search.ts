import type { Bytes, ExplorerId, Ms, NodeId, PointId } from '../ids.ts';
import type { ItemKind, Node, ObjectKind, PageInput, Workload } from './engine.ts';

/** A search over everything that an organization's backups have. */
export interface SearchInput extends PageInput {
  /** Each word is the beginning of a word of the title, of the people or of the content. */
  readonly text: string;
  readonly workloads: readonly Workload[];
  /** Only items that the newest backup lacks, or only those that it has; null: both. */
  readonly deleted: boolean | null;
}

/**
 * An item with its last version that matches. `node.deleted`: the newest backup lacks the item.
 * `node.seen`: the first restore point that has the item, and the last one that has this version.
 */
export interface FoundItem {
  readonly node: Extract<Node, { readonly kind: ItemKind }>;
  readonly workload: Workload;
  /** The mailbox, drive, site or team. */
  readonly object: { readonly id: NodeId; readonly name: string; readonly kind: ObjectKind };
  /** Names of its folders from the top, where it was seen last. */
  readonly path: readonly string[];
  /** Its title and people don't have all words: its content does. */
  readonly isInText: boolean;
  /** How many versions of it the backups have. */
  readonly versions: number;
  /** The last restore point that has this version, and the moment that opens it. */
  readonly point: PointId;
  readonly openAt: Ms;
}

/** Nodes that an explorer shows. */
export interface Nodes {
  readonly explorer: ExplorerId;
  readonly nodes: readonly NodeId[];
}

/** A node by its id, and the mailbox, drive, site or team that it is or belongs to. */
export interface NamedNode {
  readonly id: NodeId;
  readonly kind: Node['kind'];
  /** Of an item that the caller may not read: a placeholder. */
  readonly name: string;
  readonly people: string;
  readonly sizeBytes: Bytes | null;
  readonly at: Ms | null;
  readonly object: { readonly id: NodeId; readonly name: string; readonly kind: ObjectKind };
}

/**
 * A version of an item. `version`: Microsoft 365 had it, by this name, and no restore point as the
 * present content. `content`: two versions with the same one have the same content.
 */
export interface ItemVersion {
  readonly node: Extract<Node, { readonly kind: ItemKind }>;
  readonly version: string | null;
  readonly content: string;
}

/**
 * Where an item is at an explorer's point. `objects`: its mailbox, drive, site or team, below those
 * above it. `folders`: from the top. `index`: among the items of its folder, the newest first.
 */
export interface ItemPlace {
  readonly objects: readonly NodeId[];
  readonly folders: readonly NodeId[];
  readonly index: number;
}
