import type { DeviceId, Ms } from '#contract/ids.ts';
import { connect, connectIfThere } from './connection.ts';
import { getDatabase, type Idb, type DataOwner } from './database.ts';
import { DiskError, withDiskErrors } from './disk-errors.ts';
import {
  objectStores,
  type IdbStores,
  type ObjectStore,
  type StoreReader,
} from './object-stores.ts';

/**
 * The user signed in on this browser, and the keys of the data: a small separate database
 * `daybook`. It holds no token, no name and no password.
 *
 * The keys are AES-GCM keys of 256 bits that this browser created at sign-in. A script can't export
 * them, but they are on the same disk as the data they protect: THIS IS WEAKER THAN A PIN. It
 * protects:
 *
 * - what is left on the disk after signing out, after the offline limit (the next start destroys
 *   the key), and after a deletion that the browser completed only in part: it is unreadable
 *   without the key;
 * - against reading the database files, copying single records, or moving records between places;
 * - against a script in the page that would copy the key for later.
 *
 * It doesn't protect against somebody who has the whole browser profile of a signed-in user and
 * runs it in a browser, against malware, or against a script in the page that reads while the user
 * is signed in. That would need a key that is not on the disk.
 *
 * The outbox has its own key: it outlives the data key while commands are unsent, and opens nothing
 * else.
 */
export interface Profiles {
  /**
   * Returns the current profile. After the offline limit it destroys the data key and returns
   * `expired`; the outbox stays for its user.
   */
  current(now: Ms): Promise<Present>;
  /** At sign-in: creates keys and a device id, or reuses the existing ones. */
  enter(owner: DataOwner, offlineUntil: Ms): Promise<StoredProfile>;
  /** After contact with the server: extends the limit. */
  extend(owner: DataOwner, offlineUntil: Ms): Promise<void>;
  /** Destroys the data key, and the outbox's key and device id too unless they are kept. */
  leave(owner: DataOwner, keepOutbox: boolean): Promise<void>;
  close(): void;
}

export interface StoredProfile extends DataOwner {
  readonly key: CryptoKey;
  readonly outboxKey: CryptoKey;
  readonly offlineUntil: Ms;
  readonly device: DeviceId;
}
export type Present =
  | { readonly kind: 'none' }
  | { readonly kind: 'in'; readonly profile: StoredProfile }
  | { readonly kind: 'expired'; readonly owner: DataOwner; readonly offlineUntil: Ms };

/**
 * The first sign-in creates the database: before it, a sign-in page needs no Dexie. Rejects with
 * `DiskError` unavailable if the browser refuses a database, or without WebCrypto (a page that is
 * not served securely).
 */
export async function openProfiles(idb?: Idb): Promise<Profiles> {
  if ((crypto as Partial<Crypto>).subtle === undefined)
    throw new DiskError('unavailable', 'There is no WebCrypto here.');
  type Stores = IdbStores<ProfileRecords>;
  const openIfThere = async (): Promise<Stores | null> => {
    const found = await connectIfThere(NAME, 'profiles', idb);
    return found && objectStores(found, idb);
  };
  const create = async (): Promise<Stores> =>
    objectStores(await connect(NAME, 'profiles', idb), idb);
  let stores = openIfThere();
  await stores;
  const existing = (): Promise<Stores | null> =>
    (stores = stores.catch(() => null).then(async (found) => found ?? openIfThere()));
  const created = (): Promise<Stores> => {
    const opened = existing().then(async (found) => found ?? create());
    stores = opened;
    return opened;
  };
  const write = async <T>(work: (store: ObjectStore<ProfileRecords>) => Promise<T>): Promise<T> => {
    const into = await created();
    return withDiskErrors(() => into.write(['entries', 'present'], work));
  };
  const deleteKey = async (
    work: (store: ObjectStore<ProfileRecords>) => Promise<void>,
  ): Promise<void> => {
    const from = await existing();
    await withDiskErrors(async () => from?.writeDirectly(['entries', 'present'], work));
  };
  return {
    current: async (now) => {
      const from = await existing(); // another tab may have created it meanwhile
      if (from === null) return { kind: 'none' };
      const entry = await withDiskErrors(() => from.read(['entries', 'present'], present));
      if (!entry) return { kind: 'none' };
      const profile = heldBy(entry);
      if (profile !== null && now < profile.offlineUntil) return { kind: 'in', profile: profile };
      if (profile !== null) await deleteKey((store) => takeKey(store, entry.name, now));
      return { kind: 'expired', owner: entry.owner, offlineUntil: entry.offlineUntil };
    },
    enter: async (owner, offlineUntil) => {
      const made = {
        key: await makeKey(),
        outboxKey: await makeKey(),
        device: crypto.randomUUID() as string as DeviceId,
      };
      return write(async (store) => {
        const name = getDatabase(owner);
        const here = await store.get('entries', name);
        const { tenant, user, actor } = owner;
        const entry = {
          name,
          owner: { tenant, user, actor },
          key: here?.key ?? made.key,
          outboxKey: here?.outboxKey ?? made.outboxKey,
          device: here?.device ?? made.device,
          offlineUntil,
        };
        await store.put('entries', entry);
        await store.put('present', { id: 'now', name });
        return {
          ...entry.owner,
          key: entry.key,
          outboxKey: entry.outboxKey,
          offlineUntil,
          device: entry.device,
        };
      });
    },
    extend: (owner, offlineUntil) =>
      write(async (store) => {
        const entry = await store.get('entries', getDatabase(owner));
        if (entry) await store.put('entries', { ...entry, offlineUntil });
      }),
    leave: (owner, keepOutbox) =>
      deleteKey(async (store) => {
        const name = getDatabase(owner);
        const entry = await store.get('entries', name);
        const present = await store.get('present', 'now');
        if (keepOutbox && entry) await store.put('entries', { ...entry, key: null });
        else await store.remove('entries', name);
        if (present?.name === name) await store.remove('present', 'now');
      }),
    close: () =>
      void stores.then(
        (opened) => opened?.close(),
        () => undefined,
      ),
  };
}

const NAME = 'daybook';

interface Entry {
  readonly name: string;
  readonly owner: DataOwner;
  /** Null once destroyed. */
  readonly key: CryptoKey | null;
  readonly outboxKey: CryptoKey;
  readonly device: DeviceId;
  readonly offlineUntil: Ms;
}
interface ProfileRecords {
  readonly [store: string]: object;
  readonly entries: Entry;
  readonly present: { readonly id: 'now'; readonly name: string };
}

async function present(store: StoreReader<ProfileRecords>): Promise<Entry | undefined> {
  // few, so both are read at once
  const [pointer, entries] = await Promise.all([store.get('present', 'now'), store.all('entries')]);
  return pointer && entries.find(({ name }) => name === pointer.name);
}

/** Unless another tab has signed in or reached the server meanwhile. */
async function takeKey(store: ObjectStore<ProfileRecords>, name: string, now: Ms): Promise<void> {
  const entry = await store.get('entries', name);
  if (entry && now >= entry.offlineUntil) await store.put('entries', { ...entry, key: null });
}

const makeKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);

const heldBy = ({ owner, key, outboxKey, device, offlineUntil }: Entry): StoredProfile | null =>
  key === null ? null : { ...owner, key, outboxKey, device, offlineUntil };
