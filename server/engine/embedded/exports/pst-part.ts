import { createHash } from 'node:crypto';
import type { DownloadFolder } from '#server/platform/db/database-downloads.ts';
import { makePstWriter, type PstWriter } from '../pst/pst-writer.ts';
import type { PlacedBytes } from '../pst/space.ts';
import type { MailEntry } from '../downloads/entries.ts';
import { readParsedMail, wrapOriginal } from './parsed-mail.ts';
import type { ItemContent, PartFile, PartWriter } from './part-writer.ts';

interface PstPart {
  readonly name: string;
  /** Programs tell files apart by it: the same download and part give the same. */
  readonly id: string;
  /** Those that the file has even if no item is in them. */
  readonly folders: readonly DownloadFolder[];
}

/** A PST file. */
export function makePstPart(file: PartFile, { name, id, folders }: PstPart): PartWriter {
  const uid = createHash('sha256').update(id).digest().subarray(0, 16);
  const writer = makePstWriter({ name, uid });
  for (const { path, holds } of folders) writer.addFolder(path, holds);
  const write = async (pieces: readonly PlacedBytes[]): Promise<void> => {
    for (const { at, bytes } of pieces) await file.write(bytes, at);
  };
  return {
    async add(entry, content) {
      const { mail } = entry;
      if (mail === undefined) throw new Error('A PST file has items of mailboxes alone.');
      await addTo(writer, mail, content);
      await write(writer.takeWritten());
    },
    get bytes() {
      return writer.bytes;
    },
    finish: () => write(writer.finish()),
  };
}

async function addTo(writer: PstWriter, mail: MailEntry, content: ItemContent): Promise<void> {
  const { folder, kind, subject, state } = mail;
  if (kind === 'mail') return writer.addMail(folder, await readParsedMail(mail, content), state);
  const item = await content.parseItem();
  if (item !== null) return writer.addItem(folder, item);
  writer.addMail(folder, wrapOriginal(subject, 'item.json', await content.collect()), state);
}
