/**
 * What the bench of repositories times, each in a process of its own: `node
 * tests/bench/back-up-folder.ts init|backup|read REPOSITORY [FOLDER] [THREADS]`. Writes how long the
 * event loop was blocked, in milliseconds, to its error output: `blocked MEDIAN P99 MAX`. `THREADS`: how
 * many cut, name and seal; 0: the main thread does.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { EngineResult } from '../../contract/engine/engine.ts';
import { makeBlobThreads } from '../../server/engine/embedded/restic/blob-threads.ts';
import { makeFolderTarget } from '../../server/engine/embedded/restic/folder-target.ts';
import {
  initRepository,
  openRepository,
  type Repository,
} from '../../server/engine/embedded/restic/repository.ts';
import type { TreeNode } from '../../server/engine/embedded/restic/tree.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { systemChance } from '../../server/platform/random.ts';

/** Files that are read at the same time: so many mails of a mailbox are saved at once. */
const FILES_AT_ONCE = Number(process.env['FILES_AT_ONCE'] ?? 2);
const PART_BYTES = 256 << 10;

const [work = '', path = '', folder = '', size] = process.argv.slice(2);
const threads = makeBlobThreads(size === undefined ? undefined : Number(size));
const password = process.env['RESTIC_PASSWORD'] ?? '';
const tools = { clock: systemClock, chance: systemChance, password };
const target = makeFolderTarget(path, { chance: systemChance });

if (work === 'init') getValue(await initRepository(target, tools));
else {
  const options = { ...tools, lock: 'shared', threads } as const;
  const repository = getValue(await openRepository(target, options));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  if (work === 'backup') await backUp(repository);
  if (work === 'read')
    for (const { tree } of getValue(await repository.listSnapshots()))
      await readFolder(repository, tree);
  delay.disable();
  const blocked = [delay.percentile(50), delay.percentile(99), delay.max];
  console.error(`blocked ${blocked.map((ns) => (ns / 1e6).toFixed(2)).join(' ')}`);
  getValue(await repository.close());
}

async function backUp(repository: Repository): Promise<void> {
  const tree = await saveFolder(repository, folder);
  const snapshot = { tree, at: systemClock.now(), parent: null, paths: [folder], tags: [] };
  getValue(await repository.saveSnapshot({ ...snapshot, username: 'bench' }));
}

async function saveFolder(repository: Repository, from: string): Promise<string> {
  const nodes: TreeNode[] = [];
  const waiting = (await readdir(from, { withFileTypes: true })).values();
  const saveEntries = async (): Promise<void> => {
    for (const entry of waiting) {
      const inside = join(from, entry.name);
      const { mtimeMs: modifiedAt, size } = await stat(inside);
      const { name } = entry;
      if (entry.isDirectory()) {
        const subtree = await saveFolder(repository, inside);
        nodes.push({ kind: 'dir', name, modifiedAt, subtree });
      } else {
        const { content, sizeBytes } = getValue(await repository.saveFile(read(inside, size)));
        nodes.push({ kind: 'file', name, modifiedAt, sizeBytes, content });
      }
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, saveEntries));
  return getValue(await repository.saveTree(nodes)).id;
}

async function* read(path: string, size: number): AsyncGenerator<Uint8Array> {
  if (size > PART_BYTES) yield* createReadStream(path, { highWaterMark: PART_BYTES });
  else yield await readFile(path);
}

async function readFolder(repository: Repository, tree: string): Promise<void> {
  for (const node of getValue(await repository.readTree(tree)))
    if (node.kind === 'dir') await readFolder(repository, node.subtree);
    else if (node.kind === 'file') {
      let bytes = 0;
      const stream = getValue(await repository.readContent(node.content));
      for await (const part of stream) bytes += part.length;
      if (bytes !== node.sizeBytes) throw new Error(`${node.name} has ${bytes} bytes.`);
    }
}

function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
