import * as v from 'valibot';
import type { Ms, NodeId } from '#contract/ids.ts';
import type { ChosenNodes } from '../task/draft.ts';
import type { ContainerNode, ItemNode, WorkloadKind } from '../workload.ts';

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
const groupSchema = v.object({
  workload: v.picklist(['outlook', 'onedrive', 'sharepoint', 'teams']),
  /** The restore point, and when it was made. */
  point: id,
  at: v.number(),
  showDeleted: v.boolean(),
  /** The mailbox, drive, site or team. */
  object: id,
  nodes: v.pipe(v.array(id), v.minLength(1)),
});
const basketSchema = v.array(groupSchema);

/** Where nodes are: an object at a restore point. */
export interface BasketPlace {
  readonly workload: WorkloadKind;
  readonly point: string;
  readonly at: Ms;
  readonly showDeleted: boolean;
  readonly object: string;
}
/** What of one object at one restore point is in the basket. The object itself stands for all of it. */
export interface BasketGroup extends BasketPlace {
  readonly nodes: readonly string[];
}
/** Ids alone: no content of a backup is stored on the device (RES-36). */
export type Basket = readonly BasketGroup[];
export const EMPTY_BASKET: Basket = [];

/** A basket that was stored, maybe by another build; what is broken counts as empty. */
export function parseBasket(stored: unknown): Basket {
  const parsed = v.safeParse(basketSchema, stored);
  return parsed.success ? parsed.output : EMPTY_BASKET;
}

export const getGroupKey = ({ workload, point, showDeleted, object }: BasketPlace): string =>
  [workload, point, showDeleted, object].join(' ');

export const countEntries = (basket: Basket): number =>
  basket.reduce((sum, { nodes }) => sum + nodes.length, 0);

export const isWhole = ({ object, nodes }: BasketGroup): boolean => nodes.includes(object);

/** Whether each of the nodes is in the basket, itself or with its whole mailbox, drive, site or team. */
export function hasNodes(basket: Basket, place: BasketPlace, nodes: readonly string[]): boolean {
  const group = basket.find((one) => getGroupKey(one) === getGroupKey(place));
  if (group === undefined || nodes.length === 0) return false;
  if (isWhole(group)) return true;
  const known = new Set(group.nodes);
  return nodes.every((node) => known.has(node));
}

/** Adds nodes. Those beyond `max` entries are left out. */
export function addNodes(
  basket: Basket,
  place: BasketPlace,
  nodes: readonly string[],
  max: number,
): Basket {
  const key = getGroupKey(place);
  const group = basket.find((one) => getGroupKey(one) === key);
  if (group !== undefined && isWhole(group)) return basket;
  const others = basket.filter((one) => one !== group);
  const before = group?.nodes ?? [];
  const room = max - countEntries(others);
  const wanted = nodes.includes(place.object)
    ? [place.object]
    : [...new Set([...before, ...nodes])].slice(0, Math.max(room, before.length));
  if (room < 1 || wanted.length === before.length) return basket;
  const { workload, point, at, showDeleted, object } = place;
  const next = { workload, point, at, showDeleted, object, nodes: wanted };
  return group === undefined
    ? [...basket, next]
    : basket.map((one) => (one === group ? next : one));
}

/** Removes nodes; of a whole object, any of its nodes removes it. */
export function removeNodes(basket: Basket, place: BasketPlace, nodes: readonly string[]): Basket {
  const key = getGroupKey(place);
  const gone = new Set(nodes);
  return basket.flatMap((group) => {
    if (getGroupKey(group) !== key) return [group];
    const left = isWhole(group) ? [] : group.nodes.filter((node) => !gone.has(node));
    return left.length === 0 ? [] : [{ ...group, nodes: left }];
  });
}

/** A node as the server names it. */
export interface NamedEntry {
  readonly id: NodeId;
  readonly kind: ContainerNode['kind'] | ItemNode['kind'];
  readonly name: string;
  readonly people: string;
  readonly sizeBytes: number | null;
  readonly at: Ms | null;
  readonly object: {
    readonly id: NodeId;
    readonly name: string;
    readonly kind: ContainerNode['kind'];
  };
}

const getChain = (object: NamedEntry['object']): ChosenNodes['chain'] => [
  {
    ...object,
    sizeBytes: null,
    at: null,
    deleted: false,
    seen: { first: 0, last: 0 },
    children: null,
  },
];

/**
 * What one restore takes of an object: all of it, or its chosen folders and items together. The
 * members and settings of a team are restored on their own.
 */
export function getRestores(
  group: BasketGroup,
  named: readonly NamedEntry[],
): readonly ChosenNodes[] {
  const [first] = named;
  if (first === undefined) return [];
  const chain = getChain(first.object);
  if (isWhole(group)) return [{ level: 'object', chain, nodes: [group.object], size: null }];
  const settings = named.filter(({ kind }) => kind === 'settings').map((entry) => entry.id);
  const nodes = named.filter(({ kind }) => kind !== 'settings').map((entry) => entry.id);
  return [
    ...(nodes.length > 0 ? [{ level: 'items', chain, nodes, size: null } as const] : []),
    ...(settings.length > 0
      ? [{ level: 'items', chain, nodes: settings, itemKind: 'settings', size: null } as const]
      : []),
  ];
}

/** What is downloaded of an object; null: nothing of it can be. */
export function getDownload(group: BasketGroup, named: readonly NamedEntry[]): ChosenNodes | null {
  const nodes = named.filter(({ kind }) => !NOT_DOWNLOADED.has(kind));
  const [first] = nodes;
  if (first === undefined) return null;
  const chain = getChain(first.object);
  return isWhole(group)
    ? { level: 'object', chain, nodes: [group.object], size: null }
    : { level: 'items', chain, nodes: nodes.map((entry) => entry.id), size: null };
}
/** Sites and teams are downloaded by their libraries and channels, and rows not at all. */
const NOT_DOWNLOADED: ReadonlySet<NamedEntry['kind']> = new Set([
  'site',
  'team',
  'list',
  'row',
  'tab',
  'settings',
]);
