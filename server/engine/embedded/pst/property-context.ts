import type { Subnodes } from './data.ts';
import type { PstFile } from './file.ts';
import { BTH_HEAD_BYTES, makeHeap, MAX_VALUE_BYTES, writeHeapTree } from './heap.ts';
import { getFixedBytes, type Property, TYPES } from './properties.ts';

const RECORD_BYTES = 8;

/**
 * Writes the properties of a node ([MS-PST] 2.3.3). Values that are too long for the heap go below
 * the node. Returns the id of its data.
 */
export function addProperties(
  file: PstFile,
  subnodes: Subnodes,
  properties: readonly Property[],
): number {
  const heap = makeHeap(file, 0xbc);
  const head = heap.reserve(BTH_HEAD_BYTES);
  const records = properties
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, type, value }) => {
      const record = Buffer.alloc(RECORD_BYTES);
      record.writeUInt16LE(id, 0);
      record.writeUInt16LE(type, 2);
      const size = getFixedBytes(type);
      if (size !== null && size <= 4) record.set(value, 4);
      else if (value.length > MAX_VALUE_BYTES && type !== TYPES.object)
        record.writeUInt32LE(subnodes.addData(value), 4);
      else if (value.length > 0) record.writeUInt32LE(heap.add(value), 4);
      return record;
    });
  writeHeapTree(heap, head.value, { keyBytes: 2, dataBytes: 6 }, records);
  return heap.finish(head.hid);
}
