import { createHash } from 'node:crypto';
import type { Bytes } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { systemClock } from '#server/platform/clock.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { fetchOutbound, type OutboundInit } from '#server/platform/outbound/fetch.ts';
import { LARGE_FILE_BYTES, MAX_FILE_BYTES, PART_BYTES } from '../archives/archive.ts';
import { splitPath, toFolderPath } from '../archives/folder-path.ts';
import type { ArchiveStep } from '../archives/read-archive.ts';
import { REFUSED, SAID } from '../cut.ts';
import { getImportedFileKey } from '../imported-item.ts';
import { PROPFIND_BODY, readMultistatus, type WebdavEntry } from './multistatus.ts';

/** What the thread is started with. */
export interface WebdavTask {
  readonly outbound: AppContext['config']['outbound'];
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** PEM of the one certificate to trust. */
  readonly certificate: string | null;
  /** The versions of files that the drive has, by key. */
  readonly known: Readonly<Record<string, string>>;
  /** Entries that were read before. */
  readonly skippedEntries: number;
  readonly readBytes: Bytes;
  /** Only lists the top. */
  readonly isTest: boolean;
}

const LIST_BYTES: Bytes = 64 << 20;
const LIST_MS = 120_000;
const FILE_MS = 10 * 60_000;
/** Within a large file. */
const PAUSE_MS = 2 * 60_000;
const MAX_DEPTH = 32;
const MULTI_STATUS = 207;
const OK = 200;
const UNAUTHORIZED = 401;

/**
 * Reads a drive on a WebDAV server (RFC 4918), folder by folder in the order of their addresses, and
 * fetches the files whose version the drive here doesn't have. Addresses outside of the folder that was
 * entered are left out (G66).
 */
export async function* readWebdavDrive(task: WebdavTask): AsyncGenerator<ArchiveStep, void> {
  try {
    const top = new URL(task.url.endsWith('/') ? task.url : `${task.url}/`);
    const entries = await list(task, top);
    if (entries === null) throw new NoWebdav();
    if (task.isTest) return yield { kind: 'listed', entries: entries.length };
    yield* readFolder(task, { path: [], entries }, { entries: 0, bytes: task.readBytes });
  } catch (error) {
    yield describe(error);
  }
}

interface Folder {
  readonly path: readonly string[];
  readonly entries: readonly Child[];
}
interface Child extends WebdavEntry {
  readonly url: URL;
  readonly name: string;
}
/** What was read so far. */
interface Progress {
  entries: number;
  bytes: Bytes;
}

async function* readFolder(
  task: WebdavTask,
  { path, entries }: Folder,
  progress: Progress,
): AsyncGenerator<ArchiveStep, void> {
  for (const child of entries) {
    const { url, name, isFolder } = child;
    if (isFolder) {
      const below = [...path, name];
      const found = below.length <= MAX_DEPTH ? await list(task, url) : null;
      if (found !== null) yield* readFolder(task, { path: below, entries: found }, progress);
      else if (isNext(task, progress)) {
        yield { kind: 'reading', path, name, position: progress.bytes };
        yield { kind: 'failed', reason: 'unreadable' };
      }
      continue;
    }
    progress.bytes += child.bytes;
    if (!isNext(task, progress)) continue;
    const version = getVersion(child);
    const isKnown = task.known[getImportedFileKey(path, name)] === version;
    const place = { kind: 'reading', path, name, position: progress.bytes } as const;
    if (!isKnown && child.bytes > LARGE_FILE_BYTES && child.bytes <= MAX_FILE_BYTES) {
      yield place;
      yield* readLargeFile(task, child, version);
      continue;
    }
    const step = isKnown ? ({ kind: 'known' } as const) : await readFile(task, child, version);
    yield place;
    yield step;
  }
}

/** Counts an entry. Returns whether it wasn't read before. */
function isNext({ skippedEntries }: WebdavTask, progress: Progress): boolean {
  progress.entries += 1;
  return progress.entries > skippedEntries;
}

/** Changes with the content or the date of a file, as far as the server says so. */
const getVersion = ({ etag, modifiedAt, bytes }: WebdavEntry): string =>
  createHash('sha256')
    .update(JSON.stringify([etag, modifiedAt, bytes]))
    .digest('hex')
    .slice(0, 40);

async function readFile(
  task: WebdavTask,
  { url, bytes, modifiedAt }: Child,
  version: string,
): Promise<ArchiveStep> {
  if (bytes > MAX_FILE_BYTES) return { kind: 'skipped', reason: 'large-file' };
  const answer = await send(task, url, { maxBytes: LARGE_FILE_BYTES, timeoutMs: FILE_MS });
  if (answer.status !== OK) {
    if (answer.status === UNAUTHORIZED) throw new WrongPassword();
    return { kind: 'failed', reason: 'unreadable' };
  }
  const content = new Uint8Array(await answer.arrayBuffer());
  return { kind: 'file', content, modifiedAt, version };
}

/** A file that is passed on as it arrives. */
async function* readLargeFile(
  task: WebdavTask,
  { url, bytes, modifiedAt }: Child,
  version: string,
): AsyncGenerator<ArchiveStep, void> {
  const answer = await send(task, url, { isStreamed: true, timeoutMs: PAUSE_MS });
  if (answer.status === UNAUTHORIZED) throw new WrongPassword();
  if (answer.status !== OK || answer.body === null) {
    await answer.body?.cancel();
    yield UNREADABLE;
    return;
  }
  let left = bytes;
  for await (const content of joinParts(answer.body)) {
    left -= content.length;
    if (left < 0) break;
    yield { kind: 'part', content, modifiedAt, version };
  }
  // It changed since it was listed.
  yield left === 0 ? { kind: 'whole' } : UNREADABLE;
}
const UNREADABLE = { kind: 'failed', reason: 'unreadable' } as const;

/** Yields a stream in parts that are large enough to be passed on one by one. */
async function* joinParts(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let part = new Uint8Array(PART_BYTES);
  let used = 0;
  for await (const bytes of stream)
    for (let at = 0; at < bytes.length;) {
      const taken = bytes.subarray(at, at + PART_BYTES - used);
      part.set(taken, used);
      used += taken.length;
      at += taken.length;
      if (used < PART_BYTES) continue;
      yield part;
      part = new Uint8Array(PART_BYTES);
      used = 0;
    }
  if (used > 0) yield part.slice(0, used);
}

/** Returns what is in a folder, in the order of addresses; null: the server doesn't list it. */
async function list(task: WebdavTask, folder: URL): Promise<readonly Child[] | null> {
  const answer = await send(task, folder, {
    method: 'PROPFIND',
    headers: { 'depth': '1', 'content-type': 'application/xml; charset=utf-8' },
    body: PROPFIND_BODY,
    maxBytes: LIST_BYTES,
    timeoutMs: LIST_MS,
  });
  if (answer.status === UNAUTHORIZED) throw new WrongPassword();
  if (answer.status !== MULTI_STATUS) return null;
  const children = new Map<string, Child>();
  for (const entry of readMultistatus(await answer.text())) {
    const child = toChild(folder, entry);
    if (child !== null) children.set(child.url.pathname, child);
  }
  return [...children.values()].toSorted((a, b) => (a.url.pathname < b.url.pathname ? -1 : 1));
}

/** Returns null for the folder itself, and for what is not directly in it. */
function toChild(folder: URL, entry: WebdavEntry): Child | null {
  try {
    const url = new URL(entry.href, folder);
    const base = folder.pathname;
    if (url.origin !== folder.origin || !url.pathname.startsWith(base)) return null;
    const segment = url.pathname.slice(base.length).replace(/\/$/, '');
    const name = toFolderPath(splitPath(decodeURIComponent(segment))).at(-1);
    if (segment === '' || segment.includes('/') || name === undefined) return null;
    url.search = '';
    url.hash = '';
    if (entry.isFolder && !url.pathname.endsWith('/')) url.pathname += '/';
    return { ...entry, url, name };
  } catch {
    return null;
  }
}

class WrongPassword extends Error {}
class NoWebdav extends Error {}

const send = (
  { outbound, username, password, certificate }: WebdavTask,
  url: URL,
  init: OutboundInit,
): Promise<Response> =>
  fetchOutbound({ config: { outbound }, clock: systemClock } as unknown as AppContext, url, {
    ...init,
    certificate,
    headers: {
      ...init.headers,
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    },
  });

function describe(error: unknown): ArchiveStep {
  if (error instanceof WrongPassword) return { kind: 'cut', code: 'EAUTH', message: '' };
  if (error instanceof OutboundError)
    return {
      kind: 'cut',
      code: error.kind === 'refused' ? REFUSED : SAID,
      message: error.message,
    };
  return { kind: 'cut', code: 'ENODAV', message: '' };
}
