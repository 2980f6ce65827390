import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import { failed, type Failed } from '../../result.ts';
import { resticMessages as t } from './messages.en.ts';

/** The kinds of files of a restic repository. */
export const FILE_TYPES = ['config', 'keys', 'data', 'index', 'snapshots', 'locks'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** The config is the one file without an id. */
export const CONFIG_NAME = 'config';

export interface StoredFile {
  readonly name: string;
  readonly sizeBytes: Bytes;
}

/**
 * Where the files of a repository are: a folder, or object storage. Names are 64 hexadecimal digits
 * (`config` for the config); others are refused as `invalid`.
 */
export interface RepositoryTarget {
  /** Creates what a new repository needs, such as its folder. */
  prepare(): Promise<EngineResult<void>>;
  /** Durable and complete when this resolves; absent, as before, or complete after a crash. */
  write(type: FileType, name: string, bytes: Uint8Array): Promise<EngineResult<void>>;
  /** Returns the bytes from `from` until before `to`. If the file is shorter: `damaged`. */
  read(type: FileType, name: string, from?: Bytes, to?: Bytes): Promise<EngineResult<Uint8Array>>;
  /** Returns complete files only, in no particular order. */
  list(type: FileType): Promise<EngineResult<StoredFile[]>>;
  /** Succeeds for a file that doesn't exist. */
  remove(type: FileType, name: string): Promise<EngineResult<void>>;
  /** Removes what interrupted writes left. Only for the holder of an exclusive lock. */
  removeUnfinished(): Promise<EngineResult<void>>;
  /** Removes everything, the config last. Can be repeated. */
  destroy(): Promise<EngineResult<void>>;
}

const HASH = /^[0-9a-f]{64}$/;

export const isFileName = (type: FileType, name: string): boolean =>
  type === 'config' ? name === CONFIG_NAME : HASH.test(name);

export const invalidName = (type: FileType): Failed =>
  failed('invalid', t.fileNameInvalid({ folder: type }));
