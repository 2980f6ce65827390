/** Starting the backup engines, in a server or a proxy. */

export { type EmbeddedEngine, makeEmbeddedEngine } from '../embedded/engine.ts';
export { noteStranded } from '../embedded/proxies/note-stranded.ts';
export {
  hasRepositoriesFolder,
  markRepositoriesFolder,
} from '../embedded/repositories/shared-folder.ts';
export { type BlobThreads, makeBlobThreads } from '../embedded/restic/blob-threads.ts';
export { makeVb365Engine, type Vb365Engine } from '../vb365/engine.ts';
