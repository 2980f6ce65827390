import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, rm, statfs, stat, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { configMessages as t } from '../config.messages.en.ts';
import {
  type CopyAnswer,
  type CopyOffer,
  FILES_COPIED,
  getOfferFile,
  LOG_COPIED,
  makeLineReader,
} from './copy-protocol.ts';
import { FolderHeld, holdFolder } from './lock.ts';
import type { Ms } from '#contract/ids.ts';
import { removeIfInterrupted } from './remove-if-interrupted.ts';
import { getFloor } from './space.ts';

/** Why there is no copy. The message is for the operator. Nothing is left of it. */
export class CopyFailed extends Error {
  override readonly name = 'CopyFailed';
}

/** A data folder with a copy of a running server's database. */
export interface RunningCopy {
  readonly dataDir: string;
  /** Deletes it. The server then allows the next one. */
  remove(): Promise<void>;
}

const MB = 1024 * 1024;
/** Other processes go first. */
const LOW_PRIORITY = 10;

/**
 * Copies the database of the server that runs in `dataDir` into the folder `in`, as it is at one
 * moment after this call. What the server had acknowledged before is in it. Null: no server there
 * offers its database.
 * @throws CopyFailed
 */
export async function copyRunning(
  dataDir: string,
  folder: string,
  now: Ms,
): Promise<RunningCopy | null> {
  const offer = await readOffer(dataDir);
  const server = offer === null ? null : await connect(offer);
  if (server === null) return null;
  setPriority(LOW_PRIORITY);
  const outer = getCopyFolder(folder);
  // It has a lock of its own when it is opened.
  const data = join(outer, 'data');
  const target = join(data, 'pg');
  let stay: (() => void) | null = null;
  const remove = async (): Promise<void> => {
    if (stay !== null) await rm(outer, { recursive: true, force: true, maxRetries: 3 });
    stay?.();
    server.close();
  };
  try {
    await server.ask(null, 'begun');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await refuseSmallDisk(join(dataDir, 'pg'), folder);
    await mkdir(outer, { recursive: true, mode: 0o700 });
    // Its lock ends with this process, so a killed command's copy is deleted by the next.
    await holdFolder(outer, now);
    stay = removeIfInterrupted(outer);
    await rm(data, { recursive: true, force: true });
    await copyFiles(join(dataDir, 'pg'), target);
    const end = await server.ask(FILES_COPIED, 'finished');
    await copyLog(join(dataDir, 'pg', LOG), join(target, LOG), end.firstLog, end.lastLog);
    await writeFile(join(target, 'backup_label'), end.label, { mode: 0o600 });
    await server.ask(LOG_COPIED, 'ended');
    return { dataDir: data, remove };
  } catch (error) {
    await remove();
    throw error instanceof FolderHeld ? new CopyFailed(t.copyBusy, { cause: error }) : error;
  }
}

const getCopyFolder = (folder: string): string => join(folder, 'daybook-copy');

/** Deletes the copy that a killed command left in the folder. */
export async function removeLeftCopy(folder: string, now: Ms): Promise<void> {
  const outer = getCopyFolder(folder);
  if (!existsSync(outer)) return;
  try {
    await holdFolder(outer, now);
  } catch (error) {
    if (error instanceof FolderHeld) return;
    throw error;
  }
  await rm(outer, { recursive: true, force: true, maxRetries: 3 });
}

async function readOffer(dataDir: string): Promise<CopyOffer | null> {
  try {
    return JSON.parse(await readFile(getOfferFile(dataDir), 'utf8')) as CopyOffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

interface RunningServer {
  /** Says a line, unless it is null, and returns the server's answer. */
  ask<K extends CopyAnswer['kind']>(
    line: string | null,
    expected: K,
  ): Promise<Extract<CopyAnswer, { kind: K }>>;
  close(): void;
}

/** Null: nobody listens, so the file is that of a killed server. */
async function connect({ port, secret }: CopyOffer): Promise<RunningServer | null> {
  const socket = createConnection(port, '127.0.0.1');
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!isConnected) return null;
  socket.on('error', () => undefined); // closed next
  const lines = makeLineReader(socket);
  socket.write(`${secret}\n`);
  return {
    async ask<K extends CopyAnswer['kind']>(line: string | null, expected: K) {
      if (line !== null) socket.write(`${line}\n`);
      const text = await lines.next();
      const answer = text === null ? null : (JSON.parse(text) as CopyAnswer);
      if (answer?.kind !== expected) throw new CopyFailed(getReason(answer));
      return answer as Extract<CopyAnswer, { kind: K }>;
    },
    close: () => void socket.destroy(),
  };
}

function getReason(answer: CopyAnswer | null): string {
  if (answer?.kind === 'busy') return t.copyBusy;
  return answer === null ? t.copyStopped : t.copyFailed;
}

/** A disk that the copy would fill could stop the server's writes. */
async function refuseSmallDisk(database: string, folder: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const needed = (await getSize(database)) + 2 * getFloor(blocks * bsize);
  if (bavail * bsize < needed)
    throw new CopyFailed(
      t.copyNoSpace({
        needed: Math.ceil(needed / MB),
        free: Math.floor((bavail * bsize) / MB),
        folder,
      }),
    );
}

async function getSize(dir: string): Promise<number> {
  const files = await readdir(dir, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    files.map((file) =>
      file.isFile() ? unlessGone(stat(join(file.parentPath, file.name))) : Promise.resolve(null),
    ),
  );
  return sizes.reduce((sum, one) => sum + (one?.size ?? 0), 0);
}

const LOG = 'pg_wal';
/** It says where recovery begins, so it is copied after all that it speaks of. */
const CONTROL = join('global', 'pg_control');
/** Files that the copy doesn't need, or must not have. */
const LEFT_OUT = /^(postmaster\.pid|daybook-\w+|backup_label\.old)$|pgsql_tmp|^pg_wal[/\\]./;

/** Copies all but the log. Files may change, appear and disappear meanwhile: the log says how. */
async function copyFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1);
    if (LEFT_OUT.test(path) || path === CONTROL) continue;
    if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true, mode: 0o700 });
    else if (entry.isFile()) await unlessGone(copyOne(join(from, path), join(to, path)));
  }
  await copyOne(join(from, CONTROL), join(to, CONTROL));
}

/** Copies the files of the log from `first` to `last`. Their names are in order. */
async function copyLog(from: string, to: string, first: string, last: string): Promise<void> {
  for (const name of await readdir(from))
    if (/^[\dA-F]{24}$/.test(name) && name >= first && name <= last)
      await copyOne(join(from, name), join(to, name));
}

const copyOne = (from: string, to: string): Promise<void> =>
  copyFile(from, to, constants.COPYFILE_FICLONE);

async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
