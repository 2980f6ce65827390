import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../app-context.ts';
import { flushFile, flushFolder } from '../flush-files.ts';

/** `id` derives from the key and reveals nothing about it. */
export interface MasterKey {
  readonly id: string;
  readonly key: Buffer;
}
/** The current key first, then former ones, which only open older secrets. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

/** The master keys of this server. */
export interface Keyring {
  /**
   * Returns the keys: from the server's settings, else from a file in the data folder that only its
   * user can read, one per line. Reads them once.
   */
  keys(): MasterKeys;
  /** Reads them again at the next use. */
  forget(): void;
  /**
   * Adds a new key at the start of the file. Keys from the settings can only be changed by the
   * operator.
   */
  add(): void;
  /** Keeps only the current key. Secrets sealed under another one can't be opened any more. */
  dropFormer(): void;
}

export function makeKeyring({
  config: { secretKey, dataDir },
  chance,
}: Pick<Environment, 'config' | 'chance'>): Keyring {
  const fresh = (): string => Buffer.from(chance.bytes(32)).toString('base64url');
  let known: MasterKeys | null = null;
  const keys = (): MasterKeys => (known ??= keysIn(secretKey ?? fileText(dataDir, fresh), dataDir));
  const replace = (all: readonly Buffer[]): void => {
    write(dataDir, all);
    known = null;
  };
  return {
    keys,
    forget() {
      known = null;
    },
    add() {
      replace([Buffer.from(chance.bytes(32)), ...keys().map(({ key }) => key)]);
    },
    dropFormer() {
      replace([keys()[0].key]);
    },
  };
}

function keysIn(text: string, dataDir: string): MasterKeys {
  const [present, ...former] = text
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map(getKey);
  if (!present) throw new Error(`The file ${getFile(dataDir)} holds no key.`);
  return [present, ...former];
}

function getKey(text: string): MasterKey {
  const key = Buffer.from(text, 'base64url');
  if (key.length !== 32) throw new Error('A secret key must be 32 bytes in base64url.');
  return {
    id: createHash('sha256')
      .update('daybook master key')
      .update(key)
      .digest('base64url')
      .slice(0, 10),
    key,
  };
}

const getFile = (dataDir: string): string => join(dataDir, 'secret.key');

function fileText(dataDir: string, make: () => string): string {
  if (dataDir === '') return make(); // in memory only: a test
  const file = getFile(dataDir);
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    makeFile(file, `${make()}\n`);
  }
  return readFileSync(file, 'utf8');
}

/**
 * If two servers start at once on one folder, both read the key of the first, and never half of it.
 */
function makeFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  flushFile(draft);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  flushFolder(dirname(file));
}

/** Atomic: writes the whole file or nothing, also in a power cut. */
function write(dataDir: string, all: readonly Buffer[]): void {
  const file = getFile(dataDir);
  writeFileSync(`${file}.new`, all.map((key) => `${key.toString('base64url')}\n`).join(''), {
    mode: 0o600,
  });
  flushFile(`${file}.new`);
  renameSync(`${file}.new`, file);
  flushFolder(dataDir);
}
