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

/** `id` follows from the key and says nothing of it. */
export interface MasterKey {
  readonly id: string;
  readonly key: Buffer;
}
/** The present one first; those before it open what was sealed under them. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

const known = new WeakMap<AppContext, MasterKeys>();

/**
 * The server's own keys: from its settings, else from a file beside the data that only its user can
 * read, one a line.
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
 * Puts a new key before those in the file. Not for keys of the settings, which only their operator
 * can change.
 */
export function addMasterKey(world: AppContext): void {
  const {
    config: { dataDir },
    chance,
  } = world;
  write(dataDir, [Buffer.from(chance.bytes(32)), ...masterKeys(world).map(({ key }) => key)]);
  forgetMasterKeys(world);
}

/** Keeps the present key only: what was sealed under another one opens no more. */
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
 * Of two servers that start at once on one folder both read the key of the one that was first, and
 * never half of it.
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

/** Whole or not at all. */
function write(dataDir: string, all: readonly Buffer[]): void {
  const file = fileOf(dataDir);
  writeFileSync(`${file}.new`, all.map((key) => `${key.toString('base64url')}\n`).join(''), {
    mode: 0o600,
  });
  renameSync(`${file}.new`, file);
}
