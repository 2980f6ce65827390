import { createHash } from 'node:crypto';
import { makePstWriter } from '../pst/pst-writer.ts';
import type { Placed } from '../pst/space.ts';
import { readParsedMail } from './parsed-mail.ts';
import type { PartFile, PartWriter } from './part-writer.ts';

interface PstPart {
  readonly name: string;
  /** Programs tell files apart by it: the same download and part give the same. */
  readonly id: string;
}

/** A PST file. */
export function makePstPart(file: PartFile, { name, id }: PstPart): PartWriter {
  const uid = createHash('sha256').update(id).digest().subarray(0, 16);
  const writer = makePstWriter({ name, uid });
  const write = async (pieces: readonly Placed[]): Promise<void> => {
    for (const { at, bytes } of pieces) await file.write(bytes, at);
  };
  return {
    async add(entry, content) {
      const { folder, mail, state } = await readParsedMail(entry, content);
      writer.addMail(folder, mail, state);
      await write(writer.takeWritten());
    },
    get bytes() {
      return writer.bytes;
    },
    finish: () => write(writer.finish()),
  };
}
