/** A slow and strict reader of the lowest layer of PST files, written from [MS-PST] alone. */

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});
/** 5.3: from 0, and not inverted. */
function crc(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = (crcTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return value >>> 0;
}
/** 5.5 */
function signature(at: number, id: number): number {
  const mixed = BigInt.asUintN(32, BigInt(at) ^ BigInt(id));
  return Number((mixed >> 16n) ^ (mixed & 0xffffn));
}
const long = (file: Buffer, at: number): number => Number(file.readBigUInt64LE(at));

const HEADER = 0x4400;
const REGION = 253_952;

/**
 * Returns what is wrong with a file: checksums, signatures, order of the trees, references that lead
 * nowhere, and space that is used twice or not marked as used. `nodes`: its folders instead.
 */
export function checkPstFile(file: Buffer, what: 'problems' | 'nodes' = 'problems'): string[] {
  const problems: string[] = [];
  const report = (isWrong: boolean, text: string): void => {
    if (isWrong) problems.push(text);
  };
  report(file.toString('latin1', 0, 4) !== '!BDN', 'magic');
  report(file.readUInt32LE(4) !== crc(file.subarray(8, 479)), 'partial checksum');
  report(file.readUInt32LE(524) !== crc(file.subarray(8, 524)), 'full checksum');
  report(long(file, 184) !== file.length, 'end of file');

  const used = new Map<number, number>();
  const use = (at: number, size: number, name: string): void => {
    for (let slot = at; slot < at + size; slot += 64) {
      report(used.has(slot), `${name} shares its place`);
      used.set(slot, size);
    }
  };
  const page = (at: number, id: number, type: number): Buffer => {
    const content = file.subarray(at, at + 496);
    report(at % 512 !== 0, `page ${id} is not aligned`);
    report(file[at + 496] !== type || file[at + 497] !== type, `type of page ${id}`);
    report(file.readUInt32LE(at + 500) !== crc(content), `checksum of page ${id}`);
    report(long(file, at + 504) !== id, `id of page ${id}`);
    const isMap = type >= 0x82 && type <= 0x85;
    report(
      file.readUInt16LE(at + 498) !== (isMap ? 0 : signature(at, id)),
      `signature of page ${id}`,
    );
    use(at, 512, `page ${id}`);
    return content;
  };

  /** 2.2.2.7.7: returns the entries of the leaves. */
  const readTree = (at: number, id: number, type: number, entryBytes: number): Buffer[] => {
    const content = page(at, id, type);
    const [count = 0, max = 0, size = 0, level = 0] = content.subarray(488, 492);
    const expected = level === 0 ? entryBytes : 24;
    report(
      size !== expected || max !== Math.floor(488 / expected) || count > max,
      `head of page ${id}`,
    );
    const entries = Array.from({ length: count }, (_, n) =>
      content.subarray(n * size, (n + 1) * size),
    );
    if (level === 0) return entries;
    return entries.flatMap((entry) => {
      const below = readTree(long(entry, 16), long(entry, 8), type, entryBytes);
      report(
        below[0] === undefined || long(below[0], 0) !== long(entry, 0),
        `first key of page ${id}`,
      );
      return below;
    });
  };
  const nodes = readTree(long(file, 224), long(file, 216), 0x81, 32);
  const blocks = readTree(long(file, 240), long(file, 232), 0x80, 24);
  for (const [name, entries] of [
    ['nodes', nodes],
    ['blocks', blocks],
  ] as const)
    for (let n = 1; n < entries.length; n++)
      report(long(entries[n - 1] ?? file, 0) >= long(entries[n] ?? file, 0), `order of ${name}`);

  const byId = new Map<number, Buffer>();
  for (const entry of blocks) {
    const [id, at, size] = [long(entry, 0), long(entry, 8), entry.readUInt16LE(16)];
    const end = at + Math.ceil((size + 16) / 64) * 64;
    const data = file.subarray(at, at + size);
    report(file.readUInt16LE(end - 16) !== size, `size of block ${id}`);
    report(file.readUInt16LE(end - 14) !== signature(at, id), `signature of block ${id}`);
    report(file.readUInt32LE(end - 12) !== crc(data), `checksum of block ${id}`);
    report(long(file, end - 8) !== id, `id of block ${id}`);
    use(at, end - at, `block ${id}`);
    byId.set(id, data);
  }
  const references = new Map<number, number>();
  const refer = (id: number): void => {
    if (id === 0) return;
    references.set(id, (references.get(id) ?? 0) + 1);
    const data = byId.get(id);
    if (data === undefined) return report(true, `block ${id} is missing`);
    if ((id & 2) === 0) return;
    const count = data.readUInt16LE(2);
    const [type, level] = [data[0], data[1]];
    const size = type === 1 ? 8 : level === 0 ? 24 : 16;
    for (let n = 0; n < count; n++) {
      const at = 8 + n * size;
      if (type === 1) refer(long(data, at));
      else refer(long(data, at + 8));
      if (size === 24) refer(long(data, at + 16));
    }
  };
  for (const node of nodes) for (const at of [8, 16]) refer(long(node, at));
  for (const entry of blocks)
    report(
      entry.readUInt16LE(18) !== 1 + (references.get(long(entry, 0)) ?? 0),
      `references of block ${long(entry, 0)}`,
    );

  let free = 0;
  for (let at = HEADER, n = 0; at < file.length; at += REGION, n++) {
    page(at, at, 0x84);
    let next = at + 512;
    if (n % 8 === 0) page(next, (next += 512) - 512, 0x83);
    if (n >= 128 && (n - 128) % 496 === 0) page(next, (next += 512) - 512, 0x82);
    for (let slot = 0; slot < REGION / 64; slot++) {
      const isMarked = ((file[at + (slot >> 3)] ?? 0) & (0x80 >> (slot & 7))) !== 0;
      report(isMarked !== used.has(at + slot * 64), `map of ${at + slot * 64}`);
      if (!isMarked) free += 64;
    }
  }
  report(long(file, 200) !== free, 'free space');
  report(long(file, 192) !== file.length - REGION, 'last map');
  return what === 'problems'
    ? [...new Set(problems)].slice(0, 20)
    : nodes
        .map((node) => long(node, 0).toString(16))
        .filter((nid) => (parseInt(nid, 16) & 0x1f) === 2);
}
