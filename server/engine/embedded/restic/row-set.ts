import type { BlobRow } from './blob-table.ts';

/** A set of rows of the blob table: one bit each. */
export class RowSet {
  /** Rows from here on are in no set. */
  readonly rows: number;
  readonly #bits: Uint8Array;

  constructor(rows: number) {
    this.rows = rows;
    this.#bits = new Uint8Array(Math.ceil(rows / 8));
  }

  has(row: BlobRow): boolean {
    return ((this.#bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }

  add(row: BlobRow): void {
    this.#bits[row >> 3] = (this.#bits[row >> 3] ?? 0) | (1 << (row & 7));
  }

  delete(row: BlobRow): void {
    this.#bits[row >> 3] = (this.#bits[row >> 3] ?? 0) & ~(1 << (row & 7));
  }
}
