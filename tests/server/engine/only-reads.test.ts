import { expect, test } from 'vitest';
import { freshStore, ONE } from '../db/databases.ts';
import { aRandomOffice, type RandomOffice } from './restore/random/random-office.ts';

/** Returns all rows of all tables of the tenant, which no request sees whole. */
function readTables({ tables }: RandomOffice): Readonly<Record<string, readonly string[]>> {
  const names = tables.all<{ name: string }>(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
  );
  return Object.fromEntries(
    names.map(({ name }) => [
      name,
      // The hash of a file is computed when somebody first asks for it.
      tables
        .all<Record<string, unknown>>(`select * from ${name}`)
        .map((row) => JSON.stringify({ ...row, hash: null }))
        .sort(),
    ]),
  );
}

test.each(['person and site', 'team'] as const)(
  'ENG-11: whole sessions of a %s change nothing in a tenant in which the application may write',
  async (selected) => {
    const office = await aRandomOffice(await freshStore(ONE), 2, selected);
    const { user, team } = office.targets;
    // The first session, and an incremental one.
    for (let n = 0; n < 2; n += 1) {
      const before = readTables(office);
      expect(Object.values(before).flat().length).toBeGreaterThan(100);
      expect(await office.backUp()).toMatchObject({ result: 'success' });
      expect(readTables(office)).toEqual(before);
      // What the next session finds.
      const [channel] = office.admin.teams.listChannels(team);
      if (selected === 'team') office.admin.teams.addPost(team, channel?.id ?? '');
      else office.admin.addMessage(user);
    }
    const found = await office.walk(
      await office.open(selected === 'team' ? 'teams' : 'outlook', office.context.clock.now()),
    );
    expect(found.length).toBeGreaterThan(5);
  },
);
