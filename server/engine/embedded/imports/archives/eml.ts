import {
  type ArchiveEntry,
  type ArchiveFile,
  type LoadedEntry,
  MAX_MAIL_BYTES,
  PLAIN_STATE,
} from './archive.ts';

/** A file with one mail. */
export async function* readEml(file: ArchiveFile): AsyncGenerator<ArchiveEntry, void> {
  await Promise.resolve();
  yield {
    path: [file.stem],
    name: file.stem,
    position: file.bytes,
    async load(): Promise<LoadedEntry> {
      if (file.bytes > MAX_MAIL_BYTES) return { kind: 'skipped', reason: 'too-large' };
      return {
        kind: 'mail',
        mime: Uint8Array.from(await file.read(0, file.bytes)),
        state: PLAIN_STATE,
      };
    },
  };
}
