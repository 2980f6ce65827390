import type { BlobReader } from './blob-reader.ts';
import type { LoadedIndex } from './loaded-index.ts';
import type { Lock } from './lock.ts';
import type { PackWriter } from './pack-writer.ts';
import type { Sealer } from './seal.ts';
import type { RepositoryTarget } from './target.ts';

/** The parts of an open repository that its operations share. */
export interface OpenedRepository {
  readonly target: RepositoryTarget;
  readonly sealer: Sealer;
  readonly index: LoadedIndex;
  readonly writer: PackWriter;
  readonly reader: BlobReader;
  readonly lock: Lock | null;
}
