import type { Bytes } from '#contract/ids.ts';
import { makeDataTree, makeSubnodes } from './data.ts';
import { BLOCK_BYTES, type NodeContent, type PstFile } from './file.ts';
import { BTH_HEAD_BYTES, makeHeap, MAX_VALUE_BYTES, writeHeapTree } from './heap.ts';
import { makePackedList } from './packed-list.ts';
import {
  getFixedBytes,
  getPropertyTag,
  type Property,
  type PropertyType,
  TYPES,
} from './properties.ts';

/** A column without its place in a row. */
export interface PstColumn {
  readonly id: number;
  readonly type: PropertyType;
}
/** A table ([MS-PST] 2.3.4) whose rows come in the order of their ids. */
export interface PstTable {
  /** Properties that are no column of the table are left out. */
  addRow(rowId: number, cells: readonly Property[]): void;
  finish(): NodeContent;
}

interface PlacedColumn extends PstColumn {
  readonly at: number;
  readonly bytes: Bytes;
  readonly bit: number;
}

const ROW_ID = 0x67f2;
const ROW_VERSION = 0x67f3;
/** Type of the node with rows that are too many for the heap. */
const ROWS_NID = 0x3f;
const INFO_BYTES = 22;
const COLUMN_BYTES = 8;
/** Of the index: the id of a row, and its place. */
const RECORD_BYTES = 8;

/** How the columns of a table share a row: large ones first, and a bit for each at the end. */
export interface TableLayout {
  readonly columns: readonly PlacedColumn[];
  /** Where the columns of four bytes and more, of two, and of one end, and the bits. */
  readonly ends: readonly [number, number, number, number];
}

export function makeLayout(columns: readonly PstColumn[]): TableLayout {
  const all = [
    { id: ROW_ID, type: TYPES.int32 },
    { id: ROW_VERSION, type: TYPES.int32 },
    ...columns.toSorted((a, b) => a.id - b.id),
  ].map((column, bit) => ({ ...column, bit, bytes: getCellBytes(column.type) }));
  const placed: PlacedColumn[] = [];
  let at = 0;
  const place = (isSize: (bytes: Bytes) => boolean): number => {
    for (const column of all)
      if (isSize(column.bytes)) {
        placed.push({ ...column, at });
        at += column.bytes;
      }
    return at;
  };
  const large = place((bytes) => bytes >= 4);
  const small = place((bytes) => bytes === 2);
  const single = place((bytes) => bytes === 1);
  return {
    columns: placed.sort((a, b) => getPropertyTag(a) - getPropertyTag(b)),
    ends: [large, small, single, single + Math.ceil(all.length / 8)],
  };
}

/** Values of any length are in the heap or below the node. */
const getCellBytes = (type: PropertyType): Bytes => getFixedBytes(type) ?? 4;

export function makeTable(file: PstFile, { columns, ends }: TableLayout): PstTable {
  const heap = makeHeap(file, 0x7c);
  // In this order: readers look for the tree in the first value.
  const index = heap.reserve(BTH_HEAD_BYTES);
  const info = heap.reserve(INFO_BYTES + COLUMN_BYTES * columns.length);
  const subnodes = makeSubnodes(file);
  const rowTree = makeDataTree(file);
  const rowBytes = ends[3];
  const maxRows = Math.floor(BLOCK_BYTES / rowBytes);
  const byTag = new Map(columns.map((column) => [getPropertyTag(column), column]));
  const records = makePackedList(RECORD_BYTES);
  let rows: Buffer[] = [];

  function setCell(row: Buffer, cell: Property): void {
    const column = byTag.get(getPropertyTag(cell));
    if (column === undefined) return;
    const { at, bit } = column;
    if (getFixedBytes(cell.type) !== null) row.set(cell.value, at);
    else if (cell.value.length > 0)
      row.writeUInt32LE(
        cell.value.length > MAX_VALUE_BYTES
          ? subnodes.addData(cell.value)
          : heap.add(Buffer.from(cell.value)),
        at,
      );
    const byte = ends[2] + (bit >> 3);
    row[byte] = (row[byte] ?? 0) | (0x80 >> (bit & 7));
  }

  function addRows(): number {
    if (records.count === 0) return 0;
    if (rowTree.count === 0 && rows.length * rowBytes <= MAX_VALUE_BYTES)
      return heap.add(Buffer.concat(rows));
    rowTree.append(Buffer.concat(rows));
    subnodes.add(ROWS_NID, { data: rowTree.finish(), subnodes: 0 });
    return ROWS_NID;
  }

  return {
    addRow(rowId, cells) {
      if (rows.length === maxRows) {
        // Rows never begin in one block and end in the next.
        rowTree.append(Buffer.concat(rows, BLOCK_BYTES));
        rows = [];
      }
      const row = Buffer.alloc(rowBytes);
      const version = records.count + 1;
      row.writeUInt32LE(rowId, 0);
      row.writeUInt32LE(version, 4);
      row[ends[2]] = 0xc0;
      for (const cell of cells) setCell(row, cell);
      const record = records.add();
      record.writeUInt32LE(rowId, 0);
      record.writeUInt32LE(version - 1, 4);
      rows.push(row);
    },
    finish() {
      writeHeapTree(heap, index.value, { keyBytes: 4, dataBytes: 4 }, records.all());
      const rowsId = addRows();
      const { value } = info;
      value.writeUInt8(0x7c, 0);
      value.writeUInt8(columns.length, 1);
      ends.forEach((end, n) => value.writeUInt16LE(end, 2 + 2 * n));
      value.writeUInt32LE(index.hid, 10);
      value.writeUInt32LE(rowsId, 14);
      columns.forEach((column, n) => {
        const at = INFO_BYTES + COLUMN_BYTES * n;
        value.writeUInt32LE(getPropertyTag(column), at);
        value.writeUInt16LE(column.at, at + 4);
        value.writeUInt8(column.bytes, at + 6);
        value.writeUInt8(column.bit, at + 7);
      });
      return { data: heap.finish(info.hid), subnodes: subnodes.finish() };
    },
  };
}
