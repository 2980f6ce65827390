import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { PassThrough, pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import { renameKind } from '#contract/former-fields.ts';
import type { Ms } from '#contract/ids.ts';
import { dump, type Line } from './dump.ts';
import { BadBackup, load } from './load.ts';
import type { OpenStore } from './open.ts';

/**
 * Writes a backup: gzip, one line of JSON per entry. The file appears only when it is complete, and
 * only its owner can read it.
 */
export async function backUp(store: OpenStore, file: string, at: Ms): Promise<void> {
  const draft = `${file}.new`;
  const gzip = createGzip({ level: 6 });
  const written = promisify(pipeline)(gzip, createWriteStream(draft, { mode: 0o600, flush: true }));
  try {
    await dump(store, at, async (line) => {
      if (!gzip.write(`${JSON.stringify(line)}\n`))
        await Promise.race([
          new Promise<void>((resolve) => void gzip.once('drain', resolve)),
          written,
        ]);
    });
    gzip.end();
    await written;
    await rename(draft, file);
  } catch (error) {
    gzip.destroy();
    await written.catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** Restores a backup into an empty store. See `load`. */
export const restoreFrom = (store: OpenStore, file: string): Promise<number> =>
  load(store, getLines(file));

async function* getLines(file: string): AsyncIterable<Line> {
  const text = new PassThrough();
  const read = promisify(pipeline)(createReadStream(file), createGunzip(), text);
  read.catch(() => undefined); // awaited below, after the read is done
  try {
    for await (const line of createInterface({ input: text }))
      yield renameKind(JSON.parse(line)) as Line;
    await read;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new BadBackup(`There is no file ${file}.`, { cause: error });
    throw new BadBackup('This is not a backup of Daybook, or it is damaged.', { cause: error });
  }
}
