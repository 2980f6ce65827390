import type { Bytes, Ms } from '#contract/ids.ts';

/** Types of values, [MS-OXCDATA] 2.11.1. */
export const TYPES = {
  int32: 0x0003,
  double: 0x0005,
  boolean: 0x000b,
  object: 0x000d,
  int64: 0x0014,
  string: 0x001f,
  time: 0x0040,
  binary: 0x0102,
  strings: 0x101f,
} as const;
export type PropertyType = (typeof TYPES)[keyof typeof TYPES];

/** A property of a message, folder, recipient or attachment, with its value as it is stored. */
export interface Property {
  readonly id: number;
  readonly type: PropertyType;
  readonly value: Buffer;
}

export const getPropertyTag = ({ id, type }: Pick<Property, 'id' | 'type'>): number =>
  ((id << 16) | type) >>> 0;

/** Values of these types have a fixed size. The others are of any length. */
const FIXED_BYTES: ReadonlyMap<PropertyType, Bytes> = new Map([
  [TYPES.int32, 4],
  [TYPES.boolean, 1],
  [TYPES.double, 8],
  [TYPES.int64, 8],
  [TYPES.time, 8],
]);
export const getFixedBytes = (type: PropertyType): Bytes | null => FIXED_BYTES.get(type) ?? null;

export function int32(id: number, number: number): Property {
  const value = Buffer.alloc(4);
  value.writeInt32LE(number | 0, 0);
  return { id, type: TYPES.int32, value };
}

export function double(id: number, number: number): Property {
  const value = Buffer.alloc(8);
  value.writeDoubleLE(number, 0);
  return { id, type: TYPES.double, value };
}

export const boolean = (id: number, isTrue: boolean): Property => ({
  id,
  type: TYPES.boolean,
  value: Buffer.from([isTrue ? 1 : 0]),
});

/** A time in steps of 100 ns since 1601. */
export function time(id: number, at: Ms): Property {
  const value = Buffer.alloc(8);
  const ticks = (BigInt(Math.round(at)) + MS_SINCE_1601) * 10_000n;
  value.writeBigUInt64LE(ticks < 0n ? 0n : ticks, 0);
  return { id, type: TYPES.time, value };
}
const MS_SINCE_1601 = 11_644_473_600_000n;

export const stringProperty = (id: number, content: string): Property => ({
  id,
  type: TYPES.string,
  value: Buffer.from(content, 'utf16le'),
});

export const binary = (id: number, content: Uint8Array): Property => ({
  id,
  type: TYPES.binary,
  value: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
});

/** [MS-PST] 2.3.3.4.2: a count, where each value begins, and the values. */
export function strings(id: number, contents: readonly string[]): Property {
  const values = contents.map((content) => Buffer.from(content, 'utf16le'));
  const head = Buffer.alloc(4 + 4 * values.length);
  head.writeUInt32LE(values.length, 0);
  let at = head.length;
  values.forEach((value, n) => {
    head.writeUInt32LE(at, 4 + 4 * n);
    at += value.length;
  });
  return { id, type: TYPES.strings, value: Buffer.concat([head, ...values]) };
}
