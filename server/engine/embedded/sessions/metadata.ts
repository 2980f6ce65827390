import type { EngineResult } from '#contract/engine/engine.ts';
import type { BlobId } from '../restic/pack.ts';
import type { Repository } from '../restic/repository.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';
import { failed, ok } from '../../result.ts';

/** Returns the lines of a file with metadata, or `damaged` if it can't be read. */
export async function readMetadata(
  repository: Pick<Repository, 'readBlob'>,
  content: readonly BlobId[],
): Promise<EngineResult<readonly object[]>> {
  const chunks: Uint8Array[] = [];
  for (const id of content) {
    const chunk = await repository.readBlob('data', id);
    if (!chunk.ok) return chunk;
    chunks.push(chunk.value);
  }
  const lines: object[] = [];
  for (const text of Buffer.concat(chunks).toString().split('\n')) {
    if (text === '') continue;
    const line = parse(text);
    if (typeof line !== 'object' || line === null) return UNREADABLE;
    lines.push(line);
  }
  return ok(lines);
}
const UNREADABLE = failed('damaged', t.unreadableDescription);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
