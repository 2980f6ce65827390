import * as v from 'valibot';
import { expect, test } from 'vitest';
import { backupCalls } from '#contract/backup/calls.ts';
import {
  selectObjects,
  type TenantDirectory,
} from '#server/engine/embedded/sessions/select-objects.ts';

const ID = '0b7e2a3c-1111-4222-8333-444455556666';
const person = (id: string) => ({ id, name: id, address: `${id}@example.com` });
const value = <T>(found: T) => Promise.resolve({ ok: true as const, value: found });

/** Ann and Bob; the crew is a group of Bob with a team and a site. */
const DIRECTORY: TenantDirectory = {
  people: () => value([person('ann'), person('bob')]),
  members: () => value([person('bob')]),
  sites: () => value([{ ...person('crew-site'), parent: null }]),
  groupSite: () => value('crew-site'),
  list: () => value([person('crew')]),
};

/** What a job backs up that a client creates with these items. */
async function select(fields: object): Promise<readonly string[]> {
  const input = v.parse(backupCalls.createBackupJob.input, {
    organizationId: ID,
    name: 'Mail',
    backupType: 'SelectedItems',
    repositoryId: ID,
    schedulePolicy: {
      schedule: { type: 'Disabled' },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
    ...fields,
  });
  const found = await selectObjects(
    {
      backupType: input.backupType,
      selectedItems: [...input.selectedItems],
      excludedItems: [...input.excludedItems],
    },
    DIRECTORY,
    ['mailbox', 'drive', 'site', 'team'],
  );
  if (!found.ok) throw new Error(found.error.message);
  return found.value.map(({ kind, id }) => `${kind} ${id}`).toSorted();
}
const selected = (item: object) =>
  select({ selectedItems: [{ type: 'User', id: 'ann', ...item }] });
const CREW = { type: 'Group', id: 'crew' };

test('ENG-61, SUITE-2: a job backs up the parts of an item that the client sent, and no others', async () => {
  const lines: readonly (readonly [object, readonly string[]])[] = [
    [{}, ['drive ann', 'mailbox ann']],
    [{ mailbox: true }, ['mailbox ann']],
    [{ mailbox: true, personalSite: true }, ['mailbox ann']],
    [{ oneDrive: false }, ['mailbox ann']],
    [{ oneDrive: true }, ['drive ann']],
    [{ personalSite: false }, ['drive ann', 'mailbox ann']],
    [CREW, ['drive bob', 'mailbox bob', 'team crew']],
    [{ ...CREW, mailbox: true }, ['mailbox bob']],
    [{ ...CREW, teams: true }, ['team crew']],
    [{ ...CREW, members: false, sites: true }, ['site crew-site', 'team crew']],
    [{ type: 'Team', id: 'crew' }, ['team crew']],
    [{ type: 'Team', id: 'crew', teams: false, sites: true }, ['site crew-site']],
    [{ type: 'PersonalSites', id: null }, ['drive ann', 'drive bob']],
    [{ type: 'PartialOrganization', id: null, mailbox: true }, ['mailbox ann', 'mailbox bob']],
  ];
  for (const [item, objects] of lines)
    expect([item, await selected(item)]).toEqual([item, objects]);
});

test('ENG-61, SUITE-2: an exclusion takes away the parts that the client sent, and no others', async () => {
  const all = [
    'drive ann',
    'drive bob',
    'mailbox ann',
    'mailbox bob',
    'site crew-site',
    'team crew',
  ];
  const left = async (item: object) => {
    const objects = await select({
      backupType: 'EntireOrganization',
      excludedItems: [{ type: 'User', id: 'ann', ...item }],
    });
    return all.filter((one) => !objects.includes(one));
  };
  const lines: readonly (readonly [object, readonly string[]])[] = [
    [{}, ['drive ann', 'mailbox ann']],
    [{ mailbox: true }, ['mailbox ann']],
    [{ oneDrive: true }, ['drive ann']],
    [{ mailbox: false }, ['drive ann']],
    [{ ...CREW, mailbox: true }, ['mailbox bob']],
    [{ ...CREW, teams: true }, ['team crew']],
    [{ ...CREW, sites: true }, ['site crew-site']],
    [CREW, ['drive bob', 'mailbox bob', 'site crew-site', 'team crew']],
    [{ type: 'Team', id: 'crew', teams: true }, ['team crew']],
  ];
  for (const [item, objects] of lines) expect([item, await left(item)]).toEqual([item, objects]);
});
