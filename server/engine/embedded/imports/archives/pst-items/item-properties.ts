import { type PSTFile, PSTMessage } from 'pst-extractor';
import type { PSTObject } from 'pst-extractor/dist/PSTObject.class.js';
import { PSTUtil } from 'pst-extractor/dist/PSTUtil.class.js';
import type { Ms } from '#contract/ids.ts';
import { type NamedProperty, readNameMap } from '../../../pst/named-properties.ts';
import { get, readPstText } from '../pst-message.ts';

/** A property by its number, or by its name. */
type PropertyId = number | NamedProperty;

/** What a message says of itself. A property that is missing or damaged is null, '' or empty. */
export interface ItemProperties {
  readonly text: (id: PropertyId) => string;
  readonly texts: (id: PropertyId) => readonly string[];
  readonly int: (id: PropertyId) => number | null;
  readonly flag: (id: PropertyId) => boolean;
  /** In UTC. */
  readonly time: (id: PropertyId) => Ms | null;
  readonly bytes: (id: PropertyId) => Buffer | null;
}
export type NameMap = ReadonlyMap<NamedProperty, number>;

/** The node that maps names to numbers ([MS-PST] 2.4.1). */
const NAME_MAP = Buffer.from([0x61, 0, 0, 0]);

/** Returns the numbers that named properties have in a file. */
export function findNames(pst: PSTFile): NameMap {
  const none: NameMap = new Map();
  return get(() => {
    const node = pst.getDescriptorIndexNode(PSTUtil.convertLittleEndianBytesToLong(NAME_MAP));
    const { bytes } = readProperties(new PSTMessage(pst, node), none);
    return readNameMap(
      bytes(0x0002) ?? Buffer.alloc(0),
      bytes(0x0003) ?? Buffer.alloc(0),
      bytes(0x0004) ?? Buffer.alloc(0),
    );
  }, none);
}

/** Windows' time begins in 1601, in units of 100 nanoseconds. */
const EPOCH_MS = 11_644_473_600_000n;
/** Outlook writes the first of January 4501 for no time. */
const LAST_YEAR = 4_500;

export function readProperties(object: PSTObject, names: NameMap): ItemProperties {
  const items = object['pstTableItems'];
  const blocks = object['localDescriptorItems'];
  const getId = (id: PropertyId): number | null =>
    typeof id === 'number' ? id : (names.get(id) ?? null);
  const find = (id: PropertyId) => items?.get(getId(id) ?? -1);
  const bytes = (id: PropertyId): Buffer | null =>
    get(() => {
      const item = find(id);
      if (item === undefined) return null;
      if (!item.isExternalValueReference) return item.data;
      return blocks?.get(item.entryValueReference)?.getData() ?? null;
    }, null);
  const int = (id: PropertyId): number | null => {
    const item = find(id);
    return item !== undefined && INTEGERS.has(item.entryValueType)
      ? item.entryValueReference | 0
      : null;
  };
  return {
    text: (id) => {
      const known = getId(id);
      return known === null ? '' : readPstText(() => object['getStringItem'](known));
    },
    texts: (id) => readTexts(find(id)?.entryValueType ?? 0, bytes(id)),
    int,
    flag: (id) => (int(id) ?? 0) !== 0,
    time: (id) => {
      const value = bytes(id);
      if (find(id)?.entryValueType !== TIME || value?.length !== 8) return null;
      const at = Number(value.readBigUInt64LE() / 10_000n - EPOCH_MS);
      const year = new Date(at).getUTCFullYear();
      return year > FIRST_YEAR && year <= LAST_YEAR ? at : null;
    },
    bytes,
  };
}
/** PtypInteger16, PtypInteger32 and PtypBoolean ([MS-OXCDATA] 2.11.1). */
const INTEGERS: ReadonlySet<number> = new Set([0x0002, 0x0003, 0x000b]);
const TIME = 0x0040;
const FIRST_YEAR = 1_601;

/** PtypMultipleString and PtypMultipleString8 ([MS-PST] 2.3.3.4.2). */
function readTexts(type: number, value: Buffer | null): readonly string[] {
  if (value === null || (type !== 0x101f && type !== 0x101e) || value.length < 4) return [];
  const count = Math.min(value.readUInt32LE(), (value.length - 4) >> 2);
  const starts = Array.from({ length: count }, (_, n) => value.readUInt32LE(4 + 4 * n));
  return starts
    .map((start, n) =>
      value
        .subarray(start, starts[n + 1] ?? value.length)
        .toString(type === 0x101f ? 'utf16le' : 'latin1')
        .replaceAll('\0', ''),
    )
    .filter((text) => text !== '');
}
