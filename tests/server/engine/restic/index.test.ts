import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlobTable } from '#server/engine/embedded/restic/blob-table.ts';
import { decodeIndex, encodeIndex } from '#server/engine/embedded/restic/index-file.ts';
import {
  type BlobType,
  decodeHeader,
  encodeHeader,
  type PackEntry,
} from '#server/engine/embedded/restic/pack.ts';
import { encodeTree } from '#server/engine/embedded/restic/tree.ts';
import { getKind, PROOF, getValue } from './fixtures.ts';

const getId = (n: number): string => hash('sha256', String(n));

const fileNamed = (name: string) =>
  ({ kind: 'file', name, modifiedAt: Number.NaN, sizeBytes: 0, content: [] }) as const;
const times = (text: string) => `"mtime":"${text}","atime":"${text}","ctime":"${text}"`;

test('ENG-12: the header of a pack has the published bytes', () => {
  const entries: PackEntry[] = [
    { type: 'data', id: '11'.repeat(32), offset: 0, length: 0x01020304, rawLength: 0 },
    { type: 'tree', id: '22'.repeat(32), offset: 0x01020304, length: 5, rawLength: 0 },
    { type: 'data', id: '33'.repeat(32), offset: 0x01020309, length: 6, rawLength: 0x0a0b },
    { type: 'tree', id: '44'.repeat(32), offset: 0x0102030f, length: 7, rawLength: 8 },
  ];
  const bytes = [
    `0004030201${'11'.repeat(32)}`,
    `0105000000${'22'.repeat(32)}`,
    `02060000000b0a0000${'33'.repeat(32)}`,
    `030700000008000000${'44'.repeat(32)}`,
  ].join('');
  expect(Buffer.from(encodeHeader(entries)).toString('hex')).toBe(bytes);
  expect(getValue(decodeHeader(Buffer.from(bytes, 'hex')))).toEqual(entries);
  expect(getKind(decodeHeader(Buffer.from(`04${bytes.slice(2)}`, 'hex')))).toBe('damaged');
  expect(getKind(decodeHeader(Buffer.from(bytes.slice(2), 'hex')))).toBe('damaged');
});

test('ENG-12: an index file has the published fields', () => {
  const entries: PackEntry[] = [
    { type: 'data', id: '11'.repeat(32), offset: 0, length: 38, rawLength: 0 },
    { type: 'tree', id: '22'.repeat(32), offset: 38, length: 112, rawLength: 511 },
  ];
  const document = {
    supersedes: ['55'.repeat(32)],
    packs: [
      {
        id: '66'.repeat(32),
        blobs: [
          { id: '11'.repeat(32), type: 'data', offset: 0, length: 38 },
          { id: '22'.repeat(32), type: 'tree', offset: 38, length: 112, uncompressed_length: 511 },
        ],
      },
    ],
  };
  const packs = [{ id: '66'.repeat(32), entries }];
  expect(JSON.parse(encodeIndex(packs, ['55'.repeat(32)]))).toEqual(document);
  expect(getValue(decodeIndex(document))).toEqual(packs);
  for (const wrong of [null, {}, { packs: [{ id: 'x', blobs: [] }] }])
    expect(getKind(decodeIndex(wrong))).toBe('damaged');
});

test('ENG-12: a folder has the bytes that restic gives it', () => {
  const bytes = getValue(
    encodeTree([
      {
        kind: 'file',
        name: 'b & "c".eml',
        modifiedAt: 1_778_051_289_120,
        sizeBytes: 0,
        content: [],
      },
      { kind: 'dir', name: 'a', modifiedAt: 1_778_051_289_000, subtree: '22'.repeat(32) },
      { kind: 'file', name: 'Z', modifiedAt: -1, sizeBytes: 5, content: ['11'.repeat(32)] },
    ]),
  );
  expect(Buffer.from(bytes).toString()).toBe(
    `{"nodes":[{"name":"Z","type":"file","mode":420,${times('1969-12-31T23:59:59.999Z')},"uid":0,"gid":0,"size":5,"content":["${'11'.repeat(32)}"]},` +
      `{"name":"a","type":"dir","mode":2147484141,${times('2026-05-06T07:08:09Z')},"uid":0,"gid":0,"content":null,"subtree":"${'22'.repeat(32)}"},` +
      String.raw`{"name":"b \u0026 \\\"c\\\".eml","type":"file","mode":420,${times('2026-05-06T07:08:09.12Z')},"uid":0,"gid":0,"content":[]}]}` +
      '\n',
  );
});

test('ENG-12, G66: names that no folder can have are refused', () => {
  for (const name of [
    '',
    '.',
    '..',
    'a/b',
    '/a',
    '../a',
    'a\0b',
    '\ud800',
    'x'.repeat(256),
    'ü'.repeat(128),
  ])
    expect([name, getKind(encodeTree([fileNamed(name)]))]).toEqual([name, 'invalid']);
  expect(getKind(encodeTree([fileNamed('a'), fileNamed('b'), fileNamed('a')]))).toBe('invalid');
  expect(getKind(encodeTree([fileNamed('a'), fileNamed('A'), fileNamed('x'.repeat(255))]))).toBe(
    'ok',
  );
});

test('ENG-12: the index in memory finds what a list of all blobs finds', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.array(fc.tuple(fc.nat(300), fc.boolean(), fc.nat(9), fc.nat(9)), { maxLength: 400 }),
        { maxLength: 12 },
      ),
      (packs) => {
        const table = new BlobTable();
        const list = packs.flatMap((blobs, pack) => {
          const entries = blobs.map(([n, isTree, length, rawLength], at): PackEntry => ({
            type: isTree ? 'tree' : 'data',
            id: getId(n),
            offset: at * 10,
            length,
            rawLength,
          }));
          expect(table.addPack(getId(-1 - pack), entries)).toBe(pack);
          expect(table.addPack(getId(-1 - pack), [])).toBe(pack);
          expect(table.blobsOf(pack)).toEqual(entries.map((entry) => ({ ...entry, pack })));
          return entries.map((entry) => ({ ...entry, pack }));
        });
        expect(table.rows).toBe(list.length);
        for (const type of ['data', 'tree'] satisfies BlobType[])
          for (let n = 0; n <= 300; n += 7) {
            const found = [...table.find(type, getId(n))].map((row) => table.place(row));
            const expected = list.filter((blob) => blob.type === type && blob.id === getId(n));
            expect(found.sort((a, b) => a.pack - b.pack || a.offset - b.offset)).toEqual(expected);
            expect(table.has(type, getId(n))).toBe(expected.length > 0);
          }
        expect(table.has('data', 'no id')).toBe(false);
      },
    ),
    { numRuns: 25 * PROOF },
  );
});
