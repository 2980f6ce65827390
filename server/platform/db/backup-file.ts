import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import * as v from 'valibot';
import { renameKind } from '#contract/former-fields.ts';
import type { Ms } from '#contract/ids.ts';
import { flushFolder } from '../flush-files.ts';
import { dump, type DumpLine, dumpLine } from './dump.ts';
import { BadBackup, load } from './load.ts';
import type { OpenStore } from './open.ts';
import { removeIfInterrupted } from './remove-if-interrupted.ts';

/**
 * Writes a backup: gzip, one line of JSON per entry. The file appears only when it is complete, and
 * only its owner can read it.
 */
export async function backUp(store: OpenStore, file: string, at: Ms): Promise<void> {
  await removeOldDrafts(file, at);
  const draft = `${file}.${process.pid}.new`;
  const stay = removeIfInterrupted(draft);
  const gzip = createGzip({ level: 6 });
  const written = promisify(pipeline)(gzip, createWriteStream(draft, { mode: 0o600, flush: true }));
  written.catch(() => undefined); // awaited below
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
    flushFolder(dirname(file));
  } catch (error) {
    gzip.destroy();
    await written.catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  } finally {
    stay();
  }
}

/** Nothing has written to a draft for this long if its backup was killed. */
const DRAFT_MS: Ms = 60 * 60_000;

/** Deletes what killed backups to this file have left. Several may run at once. */
async function removeOldDrafts(file: string, now: Ms): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    const middle = name.startsWith(`${basename(file)}.`) ? name.slice(basename(file).length) : '';
    if (!/^\.\d+\.new$/.test(middle)) continue;
    const found = await stat(join(folder, name)).catch(() => null);
    if (found !== null && found.mtimeMs < now - DRAFT_MS)
      await rm(join(folder, name), { force: true });
  }
}

/**
 * Restores a backup into an empty store. See `load`.
 * @throws BadBackup
 */
export async function restoreFrom(store: OpenStore, file: string): Promise<number> {
  if (!existsSync(file)) throw new BadBackup(`There is no file ${file}.`);
  return load(store, getLines(file));
}

async function* getLines(file: string): AsyncIterable<DumpLine> {
  try {
    // Whole first: a damaged file may look like another mistake before its checksum is reached.
    await promisify(pipeline)(
      createReadStream(file),
      createGunzip(),
      new Writable({ write: skip }),
    );
    const source = createReadStream(file);
    const text = pipeline(source, createGunzip(), () => undefined);
    let rest = '';
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for await (const chunk of text as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield readLine(line);
    }
    if (rest !== '') yield readLine(rest);
  } catch (error) {
    throw new BadBackup('This is not a backup of Daybook, or it is damaged.', { cause: error });
  }
}

const readLine = (line: string): DumpLine => v.parse(dumpLine, renameKind(JSON.parse(line)));

const skip = (_chunk: unknown, _encoding: unknown, done: () => void): void => {
  done();
};
