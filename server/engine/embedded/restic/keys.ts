import type { EngineResult } from '#contract/engine/engine.ts';
import { hash, scrypt } from 'node:crypto';
import * as v from 'valibot';
import type { Clock, Chance } from '#server/platform/app-context.ts';
import { failed, type Failed, ok } from '../../result.ts';
import { KEY_BYTES, type Key, makeSealer, splitSealingKey } from './seal.ts';
import type { RepositoryTarget } from './target.ts';
import { resticMessages as t } from './messages.en.ts';

// restic's key files: the master key, sealed with a key that scrypt derives from a password. A
// repository has one for each password.

/** Cost of a guess. Files that restic writes carry the cost that it measured on its machine. */
export interface KeyCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}
const DEFAULT_COST: KeyCost = { N: 65_536, r: 8, p: 1 };
/** A key file that asks for more than this was not written by restic. */
const MAX_MEMORY_BYTES = 1 << 30;
/** restic tries as many. */
const MAX_KEYS = 20;
const SALT_BYTES = 64;

export interface OpenKey {
  /** The name of its file. */
  readonly id: string;
  readonly master: Key;
}

interface Tools {
  readonly clock: Clock;
  readonly chance: Chance;
}

export const createMasterKey = ({ chance }: Tools): Key => splitSealingKey(chance.bytes(KEY_BYTES));

/** Writes a key file for the password, and returns its id. `note` learns of the id before. */
export async function addRepositoryKey(
  target: RepositoryTarget,
  master: Key,
  password: string,
  tools: Tools,
  cost: KeyCost = DEFAULT_COST,
  note: (id: string) => Promise<void> = () => Promise.resolve(),
): Promise<EngineResult<string>> {
  if (password === '') return failed('invalid', t.passwordMissing);
  const salt = tools.chance.bytes(SALT_BYTES);
  const derived = await deriveKey(password, salt, cost);
  if (!derived.ok) return derived;
  const secret = JSON.stringify({
    mac: { k: base64(master.macK), r: base64(master.macR) },
    encrypt: base64(master.encrypt),
  });
  const sealer = await makeSealer(derived.value, tools.chance);
  const bytes = Buffer.from(
    JSON.stringify({
      created: new Date(tools.clock.now()).toISOString(),
      username: 'daybook',
      hostname: 'daybook',
      kdf: 'scrypt',
      ...cost,
      salt: base64(salt),
      data: base64(sealer.seal(Buffer.from(secret))),
    }),
  );
  const id = hash('sha256', bytes);
  await note(id);
  const written = await target.write('keys', id, bytes);
  return written.ok ? ok(id) : written;
}

/** Returns the master key, or `refused` if the password opens no key file. */
export async function openKey(
  target: RepositoryTarget,
  password: string,
  tools: Tools,
): Promise<EngineResult<OpenKey>> {
  const files = await target.list('keys');
  if (!files.ok) return files;
  for (const { name } of files.value.slice(0, MAX_KEYS)) {
    const bytes = await target.read('keys', name);
    if (!bytes.ok) {
      if (bytes.error.kind === 'missing') continue; // removed since
      return bytes;
    }
    const master = await tryPassword(bytes.value, password, tools);
    if (master !== null) return ok({ id: name, master });
  }
  return failed('refused', t.passwordWrong);
}

async function tryPassword(
  bytes: Uint8Array,
  password: string,
  { chance }: Tools,
): Promise<Key | null> {
  const file = parse(KEY_FILE, bytes);
  if (file === null) return null;
  const derived = await deriveKey(password, Buffer.from(file.salt, 'base64'), file);
  if (!derived.ok) return null;
  const opened = (await makeSealer(derived.value, chance)).open(Buffer.from(file.data, 'base64'));
  if (!opened.ok) return null;
  const master = parse(MASTER_KEY, opened.value);
  if (master === null) return null;
  const key = Buffer.concat(
    [master.encrypt, master.mac.k, master.mac.r].map((part) => Buffer.from(part, 'base64')),
  );
  return key.length === KEY_BYTES ? splitSealingKey(key) : null;
}

function deriveKey(
  password: string,
  salt: Uint8Array,
  { N, r, p }: KeyCost,
): Promise<EngineResult<Key>> {
  if (128 * N * r > MAX_MEMORY_BYTES || p > 64)
    return Promise.resolve(failed('invalid', t.keyCostsTooMuch));
  return new Promise((resolve) => {
    const options = { N, r, p, maxmem: 128 * (N + p + 2) * r };
    try {
      scrypt(password, salt, KEY_BYTES, options, (error, bytes) =>
        resolve(error === null ? ok(splitSealingKey(bytes)) : invalidKey()),
      );
    } catch {
      resolve(invalidKey()); // such as an N that is no power of two
    }
  });
}
const invalidKey = (): Failed => failed('invalid', t.keyInvalid);

/** A hint that contains the password gives it away. */
export const revealsPassword = (hint: string, password: string): boolean =>
  password !== '' && plain(hint).includes(plain(password));
const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '');

const POSITIVE = v.pipe(v.number(), v.integer(), v.minValue(1));
const KEY_FILE = v.object({
  kdf: v.literal('scrypt'),
  N: POSITIVE,
  r: POSITIVE,
  p: POSITIVE,
  salt: v.string(),
  data: v.string(),
});
const MASTER_KEY = v.object({
  mac: v.object({ k: v.string(), r: v.string() }),
  encrypt: v.string(),
});

function parse<S extends v.GenericSchema>(schema: S, bytes: Uint8Array): v.InferOutput<S> | null {
  try {
    const result = v.safeParse(schema, JSON.parse(Buffer.from(bytes).toString()));
    return result.success ? result.output : null;
  } catch {
    return null;
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
