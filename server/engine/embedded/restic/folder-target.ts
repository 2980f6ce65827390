import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EngineErrorKind, EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { Chance } from '#server/platform/app-context.ts';
import { done, failed, type Failed, ok } from '../../result.ts';
import { CONFIG_NAME, FILE_TYPES, invalidName, isFileName } from './target.ts';
import type { FileType, RepositoryTarget, StoredFile } from './target.ts';
import { resticMessages as t } from './messages.en.ts';

/**
 * A repository in a folder, in restic's default layout: packs in a subfolder named after the first
 * byte of their id, everything else in a folder for each type.
 */
export function makeFolderTarget(
  folder: string,
  { chance }: { readonly chance: Chance },
): RepositoryTarget {
  const folderFor = (type: FileType, name: string): string =>
    type === 'config'
      ? folder
      : type === 'data'
        ? join(folder, 'data', name.slice(0, 2))
        : join(folder, type);
  const pathFor = (type: FileType, name: string): string => join(folderFor(type, name), name);

  /** Errors of the file system become failures; others are bugs, and thrown. */
  async function attempt<T>(work: () => Promise<EngineResult<T>>): Promise<EngineResult<T>> {
    try {
      return await work();
    } catch (error) {
      const code = getCode(error);
      if (code === null) throw error;
      // Without its config, the repository is on a drive that is away: its files are not missing.
      const isAway = code === 'ENOENT' && !(await exists(join(folder, CONFIG_NAME)));
      return failureFor(isAway ? UNREACHABLE : (FAILURES[code] ?? UNREACHABLE), code);
    }
  }

  /** Creates a missing folder below the repository's own, which has to exist: a drive may be away. */
  async function ensureFolder(path: string): Promise<void> {
    if (path === folder) return;
    await ensureFolder(dirname(path));
    const isNew = await mkdir(path, { mode: 0o700 }).then(
      () => true,
      (error: unknown) => {
        if (getCode(error) === 'EEXIST') return false;
        throw error;
      },
    );
    if (isNew) await syncFolder(dirname(path));
  }

  return {
    prepare: () =>
      attempt(async () => {
        for (const type of FILE_TYPES)
          await mkdir(folderFor(type, ''), { recursive: true, mode: 0o700 });
        for (const path of [folder, dirname(folder)]) await syncFolder(path);
        return done;
      }),

    async write(type, name, bytes) {
      if (!isFileName(type, name)) return invalidName(type);
      const path = pathFor(type, name);
      const unfinished = `${path}.${chance.uuid()}${UNFINISHED}`;
      const written = await attempt(async () => {
        const file = await open(unfinished, 'wx', 0o600).catch(async (error: unknown) => {
          if (getCode(error) !== 'ENOENT') throw error;
          await ensureFolder(dirname(path));
          return open(unfinished, 'wx', 0o600);
        });
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(unfinished, path);
        await syncFolder(dirname(path));
        return done;
      });
      if (!written.ok) await attempt(() => rm(unfinished, { force: true }).then(() => done));
      return written;
    },

    async read(type, name, from = 0, to) {
      if (!isFileName(type, name)) return invalidName(type);
      if (type === 'config' && !(await exists(pathFor(type, name))))
        return failed('missing', t.noRepository);
      return attempt(async () => {
        const file = await open(pathFor(type, name), 'r');
        try {
          return await readRange(file, from, to ?? (await file.stat()).size, `${type}/${name}`);
        } finally {
          await file.close();
        }
      });
    },

    list: (type) =>
      attempt(async () => {
        const folders = type === 'data' ? await dataFolders() : [folderFor(type, '')];
        const files: StoredFile[] = [];
        for (const path of folders)
          for (const name of await namesIn(path))
            if (isFileName(type, name)) {
              const sizeBytes = await loadSize(join(path, name));
              if (sizeBytes !== null) files.push({ name, sizeBytes });
            }
        return ok(files);
      }),

    async remove(type, name) {
      if (!isFileName(type, name)) return invalidName(type);
      return attempt(async () => {
        await rm(pathFor(type, name), { force: true });
        return done;
      });
    },

    removeUnfinished: () =>
      attempt(async () => {
        const folders = FILE_TYPES.flatMap((type) => (type === 'data' ? [] : folderFor(type, '')));
        for (const path of [...folders, ...(await dataFolders())])
          for (const name of await namesIn(path))
            if (name.endsWith(UNFINISHED)) await rm(join(path, name), { force: true });
        return done;
      }),

    async destroy() {
      // Of a drive that is away, nothing can be removed.
      if (!(await exists(dirname(folder)))) return failureFor(UNREACHABLE, 'ENOENT');
      return attempt(async () => {
        for (const type of FILE_TYPES)
          if (type !== 'config') await rm(folderFor(type, ''), { recursive: true, force: true });
        await rm(folder, { recursive: true, force: true });
        return done;
      });
    },
  };

  async function dataFolders(): Promise<string[]> {
    const names = await namesIn(join(folder, 'data'));
    return names
      .filter((name) => /^[0-9a-f]{2}$/.test(name))
      .map((name) => join(folder, 'data', name));
  }

  /** A folder that a copy left out because it was empty has no names. */
  async function namesIn(path: string): Promise<string[]> {
    try {
      return await readdir(path);
    } catch (error) {
      if (getCode(error) !== 'ENOENT') throw error;
      await stat(join(folder, CONFIG_NAME));
      return [];
    }
  }
}

const UNFINISHED = '.unfinished';

async function readRange(
  file: FileHandle,
  from: Bytes,
  to: Bytes,
  label: string,
): Promise<EngineResult<Uint8Array>> {
  const bytes = Buffer.allocUnsafe(to - from);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, from + length);
    if (bytesRead === 0)
      return failed(
        'damaged',
        t.tooShort({ file: label, at: String(from + length), before: String(to) }),
      );
    length += bytesRead;
  }
  return ok(bytes);
}

/** Returns null for a file that another process has removed since it was listed. */
const loadSize = (path: string): Promise<Bytes | null> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (getCode(error) === 'ENOENT') return null;
      throw error;
    },
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** A new name in a folder survives a power failure only once the folder itself is on the disk. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // can't open folders, and journals their names
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The texts that name the code of an error. */
type FailureText =
  | 'fileMissing'
  | 'driveFull'
  | 'notAllowed'
  | 'driveReadOnly'
  | 'tooManyFiles'
  | 'fileInUse'
  | 'otherLayout'
  | 'pathTooLong'
  | 'unreachable';

/** Kind and text of a failure. The text is read when it is needed, in the language of that time. */
type Failure = readonly [EngineErrorKind, FailureText];

/** What the errors of the file system mean; the rest is `unreachable`. */
const FAILURES: Readonly<Record<string, Failure>> = {
  ENOENT: ['missing', 'fileMissing'],
  ENOSPC: ['busy', 'driveFull'],
  EDQUOT: ['busy', 'driveFull'],
  EFBIG: ['busy', 'driveFull'],
  EACCES: ['forbidden', 'notAllowed'],
  EPERM: ['forbidden', 'notAllowed'],
  EROFS: ['forbidden', 'driveReadOnly'],
  EMFILE: ['busy', 'tooManyFiles'],
  ENFILE: ['busy', 'tooManyFiles'],
  EBUSY: ['busy', 'fileInUse'],
  ENOTDIR: ['invalid', 'otherLayout'],
  EISDIR: ['invalid', 'otherLayout'],
  ENAMETOOLONG: ['invalid', 'pathTooLong'],
};
const UNREACHABLE: Failure = ['unreachable', 'unreachable'];

const failureFor = ([kind, text]: Failure, code: string): Failed => failed(kind, t[text]({ code }));

const getCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && 'syscall' in error && typeof error.code === 'string'
    ? error.code
    : null;
