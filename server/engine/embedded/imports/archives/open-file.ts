import { type FileHandle, open } from 'node:fs/promises';
import type { ArchiveFile } from './archive.ts';

/** An archive on the disk of the server. */
export async function openArchive(path: string, stem: string): Promise<ArchiveFile> {
  const handle = await open(path);
  const { size } = await handle.stat();
  return {
    stem,
    filePath: path,
    bytes: size,
    read: (from, bytes) => readPart(handle, from, bytes, size),
  };
}

async function readPart(
  handle: FileHandle,
  from: number,
  bytes: number,
  size: number,
): Promise<Buffer> {
  const wanted = Math.max(0, Math.min(bytes, size - from));
  if (wanted === 0) return Buffer.alloc(0);
  const buffer = Buffer.alloc(wanted);
  let done = 0;
  while (done < wanted) {
    const { bytesRead } = await handle.read(buffer, done, wanted - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
