import { createCipheriv } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { makeFolderTarget } from '#server/engine/embedded/restic/folder-target.ts';
import { revealsPassword } from '#server/engine/embedded/restic/keys.ts';
import { isIrreducible, randomPolynomial } from '#server/engine/embedded/restic/polynomial.ts';
import { initRepository, openRepository } from '#server/engine/embedded/restic/repository.ts';
import { makeSealer } from '#server/engine/embedded/restic/seal.ts';
import { systemChance } from '#server/platform/random.ts';
import {
  getKind,
  makeFolder,
  makeRepository,
  openAt,
  PASSWORD,
  tools,
  getValue,
} from './fixtures.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

// Appendix B of "The Poly1305-AES message-authentication code" (Bernstein, 2005): message, r, k,
// nonce, authenticator.
const PUBLISHED = [
  [
    'f3f6',
    '851fc40c3467ac0be05cc20404f3f700',
    'ec074c835580741701425b623235add6',
    'fb447350c4e868c52ac3275cf9d4327e',
    'f4c633c3044fc145f84f335cb81953de',
  ],
  [
    '',
    'a0f3080000f46400d0c7e9076c834403',
    '75deaa25c09f208e1dc4ce6b5cad3fbf',
    '61ee09218d29b0aaed7e154a2c5509cc',
    'dd3fab2251f11ac759f0887129cc2ee7',
  ],
  [
    '663cea190ffb83d89593f3f476b6bc24d7e679107ea26adb8caf6652d0656136',
    '48443d0bb0d21109c89a100b5ce2c208',
    '6acb5f61a7176dd320c5c1eb2edcdc74',
    'ae212a55399729595dea458bc621ff0e',
    '0ee1c16bb73f0f4fd19881753c01cdbe',
  ],
] as const;

test('ENG-12: sealed data is AES-256 in counter mode with Poly1305-AES, as published', async () => {
  const encrypt = hex('00'.repeat(32));
  for (const [message, r, k, nonce, mac] of PUBLISHED) {
    const sealer = await makeSealer({ encrypt, macK: hex(k), macR: hex(r) }, systemChance);
    const plain = createCipheriv('aes-256-ctr', encrypt, hex(nonce)).update(hex(message));
    expect(sealer.open(hex(nonce + message + mac))).toEqual({ ok: true, value: plain });
    const fixed = { ...systemChance, bytes: () => hex(nonce) };
    const again = await makeSealer({ encrypt, macK: hex(k), macR: hex(r) }, fixed);
    expect(Buffer.from(again.seal(plain)).toString('hex')).toBe(nonce + message + mac);
  }
});

test('ENG-8: sealed data with a single changed bit is refused', async () => {
  const key = {
    encrypt: Buffer.alloc(32, 1),
    macK: Buffer.alloc(16, 2),
    macR: Buffer.alloc(16, 3),
  };
  const sealer = await makeSealer(key, systemChance);
  const sealed = sealer.seal(Buffer.from('some bytes of a mail'));
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(getKind(sealer.open(changed)), `bit ${bit}`).toBe('damaged');
  }
  for (let length = 0; length < sealed.length; length += 1)
    expect(getKind(sealer.open(sealed.subarray(0, length))), `${length} bytes`).toBe('damaged');
});

test('ENG-12: a repository opens with its password only, and its place takes no second one', async () => {
  const { target } = await makeRepository();
  const open = (password: string) =>
    openRepository(target, { ...tools(), password, lock: 'none' }).then(getKind);
  expect(await open(PASSWORD)).toBe('ok');
  expect(await open(`${PASSWORD} `)).toBe('refused');
  expect(await open('')).toBe('refused');
  expect(getKind(await initRepository(target, tools()))).toBe('conflict');
  const repository = await openAt(target);
  getValue(await repository.saveBlob('data', Buffer.from('a mail')));
  getValue(await repository.flush());
  await repository.close();
  getValue(await target.remove('config', 'config'));
  expect(getKind(await initRepository(target, tools()))).toBe('conflict');
  const empty = makeFolderTarget(makeFolder(), { chance: systemChance });
  expect(getKind(await openRepository(empty, { ...tools(), lock: 'none' }))).toBe('missing');
  expect(getKind(await initRepository(empty, { ...tools(), password: '' }))).toBe('invalid');
});

test('ENG-12: a password is changed by adding one and removing the other, never the one in use', async () => {
  const { target } = await makeRepository();
  const repository = await openAt(target);
  const added = getValue(await repository.addPassword('the next one'));
  expect(getKind(await repository.removeKey(repository.keyId))).toBe('conflict');
  await repository.close();
  const next = await openAt(target, { password: 'the next one' });
  expect(next.keyId).toBe(added);
  getValue(await next.removeKey(repository.keyId));
  await next.close();
  expect(getKind(await openRepository(target, { ...tools(), lock: 'none' }))).toBe('refused');
});

test('ENG-12: no file of a repository contains its password, and a hint may not', async () => {
  const { folder, target } = await makeRepository();
  const repository = await openAt(target);
  getValue(await repository.addPassword('canary-of-the-vault'));
  await repository.close();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      expect(readFileSync(join(entry.parentPath, entry.name)).includes('canary')).toBe(false);
  expect(revealsPassword('It is Canary - of - the - Vault!', 'canary-of-the-vault')).toBe(true);
  expect(revealsPassword('It is CANARY-OF-THE-VAULT', 'canary-of-the-vault')).toBe(true);
  expect(revealsPassword('the bird in the bank', 'canary-of-the-vault')).toBe(false);
});

test('ENG-12: a new repository has an irreducible polynomial of degree 53, as restic requires', () => {
  // from restic's design document, and the default of its chunker's own documentation
  for (const known of [0x25b468838dcb75n, 0x3da3358b4dc173n])
    expect(isIrreducible(known)).toBe(true);
  expect(isIrreducible(0x25b468838dcb74n)).toBe(false); // divisible by x
  expect(isIrreducible(0x25b468838dcb77n)).toBe(false); // divisible by x + 1
  // (x^2 + x + 1) times a polynomial of degree 51
  const product = [0n, 1n, 2n].reduce((sum, shift) => sum ^ (((1n << 51n) | 0b1011n) << shift), 0n);
  expect(product >> 53n).toBe(1n);
  expect(isIrreducible(product)).toBe(false);
  expect(randomPolynomial(systemChance) >> 53n).toBe(1n);
});

test('ENG-12: guessing the password of a new repository costs at least what restic asks', async () => {
  const keys = await vi.importActual<typeof import('#server/engine/embedded/restic/keys.ts')>(
    '#server/engine/embedded/restic/keys.ts',
  );
  const folder = makeFolder();
  const target = makeFolderTarget(folder, tools());
  getValue(await target.prepare());
  const id = getValue(
    await keys.addRepositoryKey(target, keys.createMasterKey(tools()), PASSWORD, tools()),
  );
  const file = JSON.parse(readFileSync(join(folder, 'keys', id), 'utf8')) as Record<
    string,
    unknown
  >;
  // restic's design document shows N = 65536, r = 8, p = 1.
  expect(file).toMatchObject({ kdf: 'scrypt', N: 65_536, r: 8, p: 1 });
});
