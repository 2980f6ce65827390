import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect } from 'vitest';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { makeFolderTarget } from '#server/engine/embedded/restic/folder-target.ts';
import {
  initRepository,
  openRepository,
  type OpenOptions,
  pruneRepository,
  type Repository,
} from '#server/engine/embedded/restic/repository.ts';
import type { PruneOptions, PruneReport } from '#server/engine/embedded/restic/prune.ts';
import { done, failed, ok } from '#server/engine/result.ts';
import type { RepositoryTarget } from '#server/engine/embedded/restic/target.ts';
import type { TreeNode } from '#server/engine/embedded/restic/tree.ts';
import type { Clock } from '#server/platform/app-context.ts';
import { systemChance } from '#server/platform/random.ts';
import { missing } from './restic-reader.ts';

export { missing };

export const PASSWORD = 'correct horse battery staple';
/** Cheap to open: what is tested is not the work of a guess. */
export const COST = { N: 1024, r: 8, p: 1 };
export const PROOF = Number(process.env['PROOF'] ?? 1);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-restic-'));
  folders.push(folder);
  return folder;
}

/** A clock that a test moves. Waits of a second at most are over at once, longer ones repeat. */
export interface TestClock extends Clock {
  pass(ms: Ms): Promise<void>;
  /** The computer sleeps: time passes, and no timer fires. */
  sleep(ms: Ms): void;
  /** Timers that are due fire. */
  wake(): void;
}
export function makeClock(start: Ms = Date.now()): TestClock {
  let now = start;
  let timers: { at: Ms; work: () => void }[] = [];
  return {
    now: () => now,
    after(ms, work) {
      if (ms <= 1000) {
        const short = setImmediate(work);
        return { cancel: () => clearImmediate(short) };
      }
      const timer = { at: now + ms, work };
      timers.push(timer);
      return {
        cancel: () => {
          timers = timers.filter((other) => other !== timer);
        },
      };
    },
    async pass(ms) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((other) => other !== next);
        now = Math.max(now, next.at);
        const others = timers.length;
        next.work();
        // Work that is due every few minutes sets its next timer when it is done.
        await expect.poll(() => timers.length, { timeout: 60_000, interval: 2 }).toBe(others + 1);
      }
      now = end;
    },
    sleep(ms) {
      now += ms;
    },
    wake() {
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { work } of due) work();
    },
  };
}

export function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`);
  return result.value;
}
export const getKind = (result: EngineResult<unknown>): string =>
  result.ok ? 'ok' : result.error.kind;

export const tools = (clock: Clock = makeClock()) => ({
  password: PASSWORD,
  clock,
  chance: systemChance,
  cost: COST,
});

/** Files by `type/name`. */
export type MemoryFiles = Map<string, Uint8Array>;
/** The same as a folder, without the time that a disk takes. */
export const makeMemoryTarget = (files: MemoryFiles): RepositoryTarget => ({
  prepare: async () => done,
  async write(type, name, bytes) {
    files.set(`${type}/${name}`, bytes);
    return done;
  },
  async read(type, name, from = 0, to) {
    const bytes = files.get(`${type}/${name}`);
    if (bytes === undefined) return failed('missing', name);
    if ((to ?? 0) > bytes.length) return failed('damaged', name);
    return ok(bytes.subarray(from, to));
  },
  list: async (type) =>
    ok(
      [...files]
        .filter(([path]) => path.startsWith(`${type}/`))
        .map(([path, { length }]) => ({ name: path.slice(type.length + 1), sizeBytes: length })),
    ),
  async remove(type, name) {
    files.delete(`${type}/${name}`);
    return done;
  },
  removeUnfinished: async () => done,
  async destroy() {
    files.clear();
    return done;
  },
});

export async function makeMemoryRepository() {
  const files: MemoryFiles = new Map();
  const target = makeMemoryTarget(files);
  getValue(await initRepository(target, tools()));
  return { files, target };
}

/** Writes the files of a repository into a new folder, for restic. */
export function toFolder(files: MemoryFiles): string {
  const folder = makeFolder();
  for (const [path, bytes] of files) {
    const [type = '', name = ''] = path.split('/');
    const below = type === 'config' ? '' : type === 'data' ? join(type, name.slice(0, 2)) : type;
    mkdirSync(join(folder, below), { recursive: true });
    writeFileSync(join(folder, below, name), bytes);
  }
  for (const type of ['locks', 'index', 'snapshots', 'data'])
    mkdirSync(join(folder, type), { recursive: true });
  return folder;
}

/** A repository in a new folder. */
export async function makeRepository(): Promise<{ folder: string; target: RepositoryTarget }> {
  const folder = join(makeFolder(), 'repository');
  const target = makeFolderTarget(folder, { chance: systemChance });
  getValue(await initRepository(target, tools()));
  return { folder, target };
}

export const openAt = async (
  target: RepositoryTarget,
  options: Partial<OpenOptions> = {},
): Promise<Repository> =>
  getValue(await openRepository(target, { ...tools(), lock: 'shared', ...options }));

export const pruneAt = async (
  target: RepositoryTarget,
  options: PruneOptions & Partial<OpenOptions> = {},
): Promise<PruneReport> => getValue(await pruneRepository(target, { ...tools(), ...options }));

export type Files = Readonly<Record<string, Uint8Array>>;
/** The same on each run, and not compressible. */
export function randomBytes(seed: number, length: Bytes): Buffer {
  const bytes = Buffer.alloc(length);
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export async function* getStream(
  bytes: Uint8Array,
  partBytes = 100_000,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes);
}

const MODIFIED_AT = Date.UTC(2026, 4, 6, 7, 8, 9, 120);

/** Saves files, named by their paths, as a restore point. Returns its id. */
export async function saveFiles(repository: Repository, files: Files, at = 0): Promise<string> {
  const tree = await saveFolder(repository, files);
  return getValue(
    await repository.saveSnapshot({
      at: MODIFIED_AT + at,
      tree,
      parent: null,
      paths: ['/'],
      tags: ['test'],
      username: 'organization',
    }),
  );
}

export async function saveFolder(repository: Repository, files: Files): Promise<string> {
  const nodes: TreeNode[] = [];
  const below = new Map<string, Record<string, Uint8Array>>();
  for (const [path, bytes] of Object.entries(files)) {
    const [name = '', ...rest] = path.split('/');
    if (rest.length > 0) below.set(name, { ...below.get(name), [rest.join('/')]: bytes });
    else {
      const { content, sizeBytes } = getValue(await repository.saveFile(getStream(bytes)));
      nodes.push({ kind: 'file', name, modifiedAt: MODIFIED_AT, sizeBytes, content });
    }
  }
  for (const [name, inside] of below)
    nodes.push({
      kind: 'dir',
      name,
      modifiedAt: MODIFIED_AT,
      subtree: await saveFolder(repository, inside),
    });
  return getValue(await repository.saveTree(nodes)).id;
}

/** Reads all files of a restore point or of a tree. */
export async function readFiles(repository: Repository, root: string): Promise<Files> {
  const snapshot = getValue(await repository.listSnapshots()).find(({ id }) => id === root);
  const files: Record<string, Uint8Array> = {};
  const visit = async (tree: string, path: string): Promise<void> => {
    for (const node of getValue(await repository.readTree(tree)))
      if (node.kind === 'dir') await visit(node.subtree, `${path}${node.name}/`);
      else if (node.kind === 'file')
        files[`${path}${node.name}`] = await collect(
          getValue(await repository.readContent(node.content)),
        );
  };
  await visit(snapshot?.tree ?? root, '');
  return files;
}

export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/** Equal content, compared without a difference of megabytes in the message. */
export const sameFiles = (actual: Files, expected: Files): string[] =>
  [...new Set([...Object.keys(actual), ...Object.keys(expected)])].filter((path) => {
    const [a, b] = [actual[path], expected[path]];
    return a === undefined || b === undefined || Buffer.compare(a, b) !== 0;
  });

/** Runs a real restic. Returns what it printed, or throws with it. */
export async function runRestic(
  path: string,
  folder: string,
  args: readonly string[],
): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['--no-cache', '-r', folder, ...args], {
    env: { ...process.env, RESTIC_PASSWORD: PASSWORD },
    maxBuffer: 64 << 20,
    encoding: 'utf8',
  });
  return stdout;
}
