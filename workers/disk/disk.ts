import type { Disk } from '../types.ts';
import { answerTo, clearAnswers, keepAnswer } from './cached-answers.ts';
import { makeCipher, plainCipher } from './cipher.ts';
import { compactStep } from './compact.ts';
import { connectTo, makeLost, type Connection, type Losing } from './connection.ts';
import { databaseOf, type Idb } from './database.ts';
import type { DiskRecords } from './records.ts';
import { faulting } from './disk-errors.ts';
import { DATA, type DiskContext } from './disk-context.ts';
import { startOfDay } from './manifest.ts';
import { memoryObjectStores } from './memory.ts';
import { dropNotice, keepNotice, notices } from './notices.ts';
import { commands, dropCommand, keepCommand, markCommand } from './outbox.ts';
import { openAll, readBooks, readPatch, readRestOfBooks, readSegment } from './reading.ts';
import type { StoredProfile, Profiles } from './profiles.ts';
import { OLDEST, evictAndRetry, type MayGo } from './quota.ts';
import { objectStores } from './object-stores.ts';
import { addDays, append, begin, forget, noteSynced } from './writing.ts';

/**
 * Opens the database of one user, as stored in the profiles. Rejects with `DiskFault` unavailable
 * if the browser refuses: use `memoryDisk` then.
 */
export const openDisk = async (
  held: StoredProfile,
  register: Pick<Profiles, 'leave'>,
  idb?: Idb,
): Promise<Disk> => diskOn(await connectTo(held, idb), held, register, idb);

/** The same on a connection that is already open. */
export function diskOn(
  connection: Connection,
  held: StoredProfile,
  register: Pick<Profiles, 'leave'>,
  idb?: Idb,
): Disk {
  const name = databaseOf(held);
  return makeDisk(
    {
      shelves: objectStores<DiskRecords>(connection, idb),
      cipher: makeCipher(held.key, name),
      outboxCipher: makeCipher(held.outboxKey, name),
      device: held.device,
      leave: (keepOutbox) => register.leave(held, keepOutbox),
      ...BEFORE(),
    },
    connection.lost,
  );
}

/** The same in memory, if the browser refuses a database: closing it loses everything. */
export const memoryDisk = (device: string): Disk =>
  makeDisk(
    {
      shelves: memoryObjectStores<DiskRecords>(),
      cipher: plainCipher,
      outboxCipher: plainCipher,
      device,
      leave: () => Promise.resolve(),
      ...BEFORE(),
    },
    makeLost(),
  );

const BEFORE = (): Pick<DiskContext, 'load' | 'nextPatch' | 'ahead' | 'front' | 'patience'> => ({
  load: null,
  nextPatch: null,
  ahead: new Map(),
  front: null,
  patience: 0,
});

function makeDisk(ground: DiskContext, lost: Losing): Disk {
  const data = makeQueue();
  const outbox = makeQueue();
  // Changes of server data run in sequence, in the order of the calls; so do those of the outbox,
  // in parallel to them.
  const change = <T>(may: MayGo, work: () => Promise<T>): Promise<T> =>
    data(() => faulting(() => evictAndRetry(ground, may, work)));
  const strictly = <T>(work: () => Promise<T>): Promise<T> =>
    outbox(() => faulting(() => evictAndRetry(ground, { ...OLDEST, patient: false }, work)));
  return {
    open: (ahead = null) => data(() => faulting(() => openAll(ground, ahead))),
    books: (folds, wanted) => faulting(() => readBooks(ground, folds, wanted)),
    restOfBooks: (folds, take) => faulting(() => readRestOfBooks(ground, folds, take)),
    segment: (id) => faulting(() => readSegment(ground, id)),
    begin: (fresh) => change({ ...OLDEST, share: 1 }, () => begin(ground, fresh)),
    addDays: (days) =>
      change({ ...OLDEST, olderThanSec: Math.min(...days.map(({ day }) => startOfDay(day))) }, () =>
        addDays(ground, days),
      ),
    append: (patch, syncedAt) => change(OLDEST, () => append(ground, patch, syncedAt)),
    patch: (id) => faulting(() => readPatch(ground, id)),
    noteSynced: (at) => change(OLDEST, () => noteSynced(ground, at)),
    compact: () => data(() => faulting(() => compactStep(ground))),
    forget: (beforeSec) => change(OLDEST, () => forget(ground, beforeSec)),
    keepCommand: (command) => strictly(() => keepCommand(ground, command)),
    commands: () => outbox(() => faulting(() => commands(ground))),
    markCommand: (id, state, failure, refused) =>
      strictly(() => markCommand(ground, id, state, failure, refused)),
    dropCommand: (id) => strictly(() => dropCommand(ground, id)),
    keepNotice: (notice) => outbox(() => faulting(() => keepNotice(ground, notice))),
    notices: () => outbox(() => faulting(() => notices(ground))),
    dropNotice: (id) => outbox(() => faulting(() => dropNotice(ground, id))),
    onOutbox: (listener) => ground.shelves.watch(['outbox', 'notices'], listener),
    keepAnswer: (question, answer) => faulting(() => keepAnswer(ground, question, answer)),
    answerTo: (question) => faulting(() => answerTo(ground, question)),
    device: ground.device,
    destroy: (keepOutbox) =>
      data(() => outbox(() => faulting(() => destroy(ground, lost, keepOutbox)))),
    onLost: lost.listen,
    close: () => {
      lost.closing();
      ground.shelves.close();
    },
  };
}

/**
 * Keys first: the data may fail to be deleted, and then can't be read (C9). The data is deleted even
 * if the keys can't be.
 */
async function destroy(ground: DiskContext, lost: Losing, keepOutbox: boolean): Promise<void> {
  const unsent =
    keepOutbox &&
    (await ground.shelves.read(['outbox'], (shelf) => shelf.all('outbox')).catch(() => ['unknown']))
      .length > 0;
  try {
    await ground.leave(unsent);
  } finally {
    await destroyData(ground, lost, unsent);
  }
}

async function destroyData(ground: DiskContext, lost: Losing, keepOutbox: boolean): Promise<void> {
  if (!keepOutbox) {
    lost.closing();
    return ground.shelves.destroy();
  }
  await ground.shelves.write([...DATA, 'answers'], async (shelf) => {
    await Promise.all([
      shelf.remove('meta', 'manifest'),
      shelf.remove('meta', 'who'),
      shelf.remove('meta', 'front'),
      shelf.clear('books'),
      shelf.clear('segments'),
      shelf.clear('patches'),
      clearAnswers(shelf),
    ]);
  });
}

/** Runs work in sequence; a failure doesn't stop what follows. */
function makeQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
