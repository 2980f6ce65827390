import type { Id } from '#contract/engine/engine.ts';
import type { Bytes, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { ContentError } from '../content-error.ts';
import type { DownloadEntry } from '../downloads/entries.ts';
import { partReader } from '../downloads/read.ts';
import { makeMimeReader, type MimeReader } from '../mail/mime-reader.ts';
import type { RepositoryReaders } from '../repositories/readers.ts';
import type { ItemContent, PartFile, PartFormat, PartWriter } from './part-writer.ts';
import { makePstPart } from './pst-part.ts';
import { makeFilePart, makeMboxPart, makeZipPart } from './zip-part.ts';

/** A prepared download that is written to files. */
export interface PartsInput {
  readonly tenant: TenantId;
  readonly repository: Id;
  readonly download: Id;
  readonly format: PartFormat;
  readonly name: string;
  /** The first part that isn't finished, and its first item. */
  readonly from: { readonly part: number; readonly item: number };
  readonly maxPartBytes: Bytes;
  openPart(n: number): Promise<PartFile>;
  /** `nextItem`: the first that is in a later part. */
  onPart(part: { readonly n: number; readonly nextItem: number }): Promise<void>;
  /** After an item. Returns false if it must stop. */
  onItem(item: { readonly isFailed: boolean; readonly bytes: Bytes }): Promise<boolean>;
}
export type WriteParts = (input: PartsInput) => Promise<'finished' | 'stopped'>;

/** What reading may end with for one item alone. Anything else may be over later. */
const ITEM_ALONE: ReadonlySet<string> = new Set(['damaged', 'missing']);

/** Writes what a prepared download holds, each item once and in its order. */
export function makeWriteParts(world: () => AppContext, readers: RepositoryReaders): WriteParts {
  let mails: MimeReader | null = null;
  return async (input) => {
    mails ??= makeMimeReader(world());
    const { tenant, repository, download, maxPartBytes } = input;
    const readContent = (entry: DownloadEntry): ItemContent => {
      const stream = (): AsyncIterable<Uint8Array> =>
        readers.read(tenant, repository, entry, { from: 0, to: entry.bytes });
      return { stream, collect: () => collect(stream(), entry.bytes) };
    };
    let { part: n, item: at } = input.from;
    let open: PartWriter | null = null;
    let position = 0;
    for await (const { entries } of partReader(world().store, tenant, download)({ byte: 0 }))
      for (const entry of entries) {
        position += 1;
        if (position <= at) continue;
        if (open !== null && open.bytes + entry.bytes > maxPartBytes) {
          await open.finish();
          await input.onPart({ n, nextItem: at });
          n += 1;
          open = null;
        }
        open ??= makePart(input, n, await input.openPart(n), mails);
        let isFailed = false;
        try {
          await open.add(entry, readContent(entry));
        } catch (error) {
          if (!(error instanceof ContentError) || !ITEM_ALONE.has(error.error.kind)) throw error;
          isFailed = true;
        }
        at = position;
        if (!(await input.onItem({ isFailed, bytes: entry.bytes }))) return 'stopped';
      }
    if (open !== null) {
      await open.finish();
      await input.onPart({ n, nextItem: at });
    }
    return 'finished';
  };
}

function makePart(
  { format, name, download }: PartsInput,
  n: number,
  file: PartFile,
  mails: MimeReader,
): PartWriter {
  switch (format) {
    case 'zip':
      return makeZipPart(file);
    case 'file':
      return makeFilePart(file);
    case 'mbox':
      return makeMboxPart(file);
    case 'pst':
      return makePstPart(file, mails, { name, id: `${download} ${n}` });
  }
}

async function collect(
  stream: AsyncIterable<Uint8Array>,
  bytes: Bytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(bytes);
  let at = 0;
  for await (const piece of stream) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all.subarray(0, at);
}
