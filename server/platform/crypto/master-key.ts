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
import { join } from 'node:path';
import type { AppContext } from '../app-context.ts';

/** `id` derives from the key and reveals nothing about it. */
export interface MasterKey {
  readonly id: string;
  readonly key: Buffer;
}
/** The current key first, then former ones, which only open older secrets. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

const known = new WeakMap<AppContext, MasterKeys>();

/**
 * Returns the server's master keys: from its settings, else from a file in the data folder that
 * only its user can read, one per line.
 */
export function masterKeys(world: AppContext): MasterKeys {
  const there = known.get(world);
  if (there) return there;
  const {
    config: { secretKey, dataDir },
    chance,
  } = world;
  const fresh = (): string => Buffer.from(chance.bytes(32)).toString('base64url');
  const [present, ...former] = (secretKey ?? fileText(dataDir, fresh))
    .split(/[\s,]+/)
    .filter((text) => text !== '')
    .map(keyOf);
  if (!present) throw new Error(`The file ${fileOf(dataDir)} holds no key.`);
  const all: MasterKeys = [present, ...former];
  known.set(world, all);
  return all;
}

export function forgetMasterKeys(world: AppContext): void {
  known.delete(world);
}

/**
 * Adds a new key at the start of the file. Keys from the settings can only be changed by the
 * operator.
 */
export function addMasterKey(world: AppContext): void {
  const {
    config: { dataDir },
    chance,
  } = world;
  write(dataDir, [Buffer.from(chance.bytes(32)), ...masterKeys(world).map(({ key }) => key)]);
  forgetMasterKeys(world);
}

/** Keeps only the current key. Secrets sealed under another one can't be opened any more. */
export function dropFormerKeys(world: AppContext): void {
  write(world.config.dataDir, [masterKeys(world)[0].key]);
  forgetMasterKeys(world);
}

function keyOf(text: string): MasterKey {
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

const fileOf = (dataDir: string): string => join(dataDir, 'secret.key');

function fileText(dataDir: string, make: () => string): string {
  if (dataDir === '') return make(); // in memory only: a test
  const file = fileOf(dataDir);
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
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Atomic: writes the whole file or nothing. */
function write(dataDir: string, all: readonly Buffer[]): void {
  const file = fileOf(dataDir);
  writeFileSync(`${file}.new`, all.map((key) => `${key.toString('base64url')}\n`).join(''), {
    mode: 0o600,
  });
  renameSync(`${file}.new`, file);
}
