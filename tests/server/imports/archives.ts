import { crc32, deflateRawSync } from 'node:zlib';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArchiveFile } from '#server/engine/embedded/imports/archives/archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-imports-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

export const noPython =
  spawnSync('python3', ['--version']).status === 0 ? '' : ' (skipped: no python3)';

/** Runs a program of Python on a file, and returns what it prints as JSON. */
export function askPython(program: string, file: Uint8Array): unknown {
  const path = join(folder, 'file');
  writeFileSync(path, file);
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program, path], {
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

export function makeMail(n: number, more: { subject?: string; body?: string } = {}): Buffer {
  return Buffer.from(
    [
      `From: "Ann, Sales" <ann${n}@example.com>`,
      `To: Ben <ben@example.com>, cora@example.org`,
      `Subject: ${more.subject ?? `Mail ${n}`}`,
      `Message-ID: <${n}@example.com>`,
      `Date: Tue, 03 Nov 2020 10:${String(n % 60).padStart(2, '0')}:00 +0100`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      more.body ?? `Body ${n}`,
      '',
    ].join('\n'),
  );
}

/** A ZIP archive by APPNOTE.TXT, with what a test wants to be wrong in it. */
export function makeZip(
  files: readonly {
    readonly name: string;
    readonly content: Uint8Array;
    readonly flags?: number;
    readonly crc?: number;
    readonly bytes?: number;
  }[],
): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let at = 0;
  for (const { name, content, flags = 0x800, ...wrong } of files) {
    const packed = deflateRawSync(content);
    const bytes = wrong.bytes ?? content.length;
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(wrong.crc ?? crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, path]));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
}

export const toArchive = (bytes: Buffer, stem = 'Old mail'): ArchiveFile => ({
  stem,
  filePath: null,
  bytes: bytes.length,
  read: (from, count) => Promise.resolve(Buffer.from(bytes.subarray(from, from + count))),
});
