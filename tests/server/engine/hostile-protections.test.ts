import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import {
  type Protections,
  readProtections,
  writeProtections,
} from '#server/engine/embedded/repositories/protections.ts';
import { getValue, makeMemoryRepository, openAt } from './restic/fixtures.ts';

const user = randomUUID();

/** A repository's list of as many people. */
const listPeople = (count: number): Protections => ({
  version: 1,
  organization: randomUUID(),
  directory: null,
  holds: [],
  excluded: Array.from({ length: count }, (_, n) => ({ object: `p${n}`, user, at: 1 })),
  removing: [],
});

test('ENG-122: a list that is longer than any Daybook writes is not adopted, so that it fills no organization', async () => {
  const { target } = await makeMemoryRepository();
  const read = async (list: Protections, at: number) => {
    const written = await openAt(target);
    getValue(await writeProtections(written, list, at));
    await written.close();
    const opened = await openAt(target);
    const found = await readProtections(opened, getValue(await opened.listSnapshots()));
    await opened.close();
    return getValue(found);
  };
  const all = listPeople(LIMITS.exclusions);
  expect(await read(all, 1)).toEqual(all);
  // Others' lists are as readable as before.
  expect(await read(listPeople(100_000), 2)).toEqual(all);
});
