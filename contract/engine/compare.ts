import type { Bytes } from '../ids.ts';
import type { ItemKind, Node } from './engine.ts';

/**
 * What became of a backed-up item in Microsoft 365. `moved`: only its folder differs. `deleted`: it
 * is not there.
 */
export const PRODUCTION_STATES = ['same', 'changed', 'moved', 'deleted'] as const;
export type ProductionState = (typeof PRODUCTION_STATES)[number];

/**
 * What can be said of both sides. `changed`: when it was last modified. `completed`: of a task.
 * `people`: sender and recipients, or who changed a file last.
 */
export const COMPARED_PROPERTIES = [
  'name',
  'people',
  'folder',
  'date',
  'changed',
  'size',
  'read',
  'completed',
  'flagged',
  'draft',
  'importance',
  'categories',
] as const;
export type PropertyName = (typeof COMPARED_PROPERTIES)[number];

/** Dates are in milliseconds, sizes in bytes, and `true` or `false` is the word. */
export interface ComparedProperty {
  readonly name: PropertyName;
  readonly backup: string;
  /** Empty if the item was deleted. */
  readonly production: string;
  readonly isSame: boolean;
}

/** A backed-up item beside its present state in Microsoft 365. */
export interface ComparedItem {
  readonly node: Extract<Node, { readonly kind: ItemKind }>;
  readonly state: ProductionState;
  readonly properties: readonly ComparedProperty[];
  /** `unknown`: only reading both tells. `hidden`: the role may not read it. */
  readonly content: 'same' | 'changed' | 'unknown' | 'hidden';
  /** Its present size; null if it was deleted. */
  readonly productionBytes: Bytes | null;
}
