import type { EngineResult } from '#contract/engine/engine.ts';
import { hash } from 'node:crypto';
import type { Bytes } from '#contract/ids.ts';
import { compress, decompress } from './compress.ts';
import { failed, ok } from '../../result.ts';
import type { Sealer } from './seal.ts';
import type { FileType, RepositoryTarget } from './target.ts';
import { resticMessages as t } from './messages.en.ts';

// Files that contain one JSON document, sealed (restic's design document, "Unpacked Data Format"):
// index, snapshots and locks begin with a version and are compressed, the config is neither.

type DocumentType = Exclude<FileType, 'data' | 'keys'>;

const VERSION_COMPRESSED = 2;
const MAX_DOCUMENT_BYTES: Bytes = 256 << 20;

/** Writes a document under the hash of its file, and returns that. */
export async function writeDocument(
  target: RepositoryTarget,
  sealer: Sealer,
  type: DocumentType,
  document: string,
): Promise<EngineResult<string>> {
  const plain = Buffer.from(document);
  const bytes = sealer.seal(
    type === 'config'
      ? plain
      : Buffer.concat([Buffer.of(VERSION_COMPRESSED), await compress(plain)]),
  );
  const name = type === 'config' ? 'config' : hash('sha256', bytes);
  const written = await target.write(type, name, bytes);
  return written.ok ? ok(name) : written;
}

/** Returns the parsed document: `damaged` if its file doesn't have the hash in its name. */
export async function readDocument(
  target: RepositoryTarget,
  sealer: Sealer,
  type: DocumentType,
  name: string,
): Promise<EngineResult<unknown>> {
  const bytes = await target.read(type, name);
  if (!bytes.ok) return bytes;
  const damaged = failed('damaged', t.fileDamaged({ file: `${type}/${name}` }));
  if (type !== 'config' && hash('sha256', bytes.value) !== name) return damaged;
  const opened = sealer.open(bytes.value);
  if (!opened.ok) return damaged;
  const document = await decode(opened.value);
  if (document === null) return damaged;
  try {
    return ok(JSON.parse(Buffer.from(document).toString()));
  } catch {
    return damaged;
  }
}

async function decode(bytes: Uint8Array): Promise<Uint8Array | null> {
  if (bytes[0] === 0x5b || bytes[0] === 0x7b) return bytes; // [ and {: JSON as it is
  if (bytes[0] !== VERSION_COMPRESSED) return null;
  const document = await decompress(bytes.subarray(1), MAX_DOCUMENT_BYTES);
  return document.ok ? document.value : null;
}
