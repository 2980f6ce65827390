import * as v from 'valibot';
import { expect, test } from 'vitest';
import { backupCalls } from '#contract/backup/calls.ts';

/** The calls of the specification's sections "Organizations", "Repositories and proxies", "Jobs". */
const SPEC = [
  'GET o365/organizations',
  'POST o365/organizations',
  'GET o365/organizations/{organizationId}',
  'PUT o365/organizations/{organizationId}',
  'DELETE o365/organizations/{organizationId}',
  'GET o365/organizations/names',
  'GET o365/organizations/{organizationId}/users',
  'GET o365/organizations/{organizationId}/groups',
  'GET o365/organizations/{organizationId}/teams',
  'GET o365/organizations/{organizationId}/sites',
  'GET o365/organizations/{organizationId}/sites/{siteId}/children',
  'GET o365/organizations/{organizationId}/jobs',
  'POST o365/organizations/all-jobs',
  'POST o365/organizations/from-api',
  'POST o365/organizations/from-api/test',
  'POST o365/organizations/renew-certificate',
  'POST o365/organizations/app-device-code',
  'POST o365/organizations/device-code',
  'GET o365/version',
  'GET o365/repositories',
  'POST o365/repositories',
  'PATCH o365/repositories/{id}',
  'DELETE o365/repositories/{id}',
  'POST o365/repositories/all',
  'GET o365/proxies',
  'GET o365/proxies/proxypools',
  'POST o365/jobs',
  'GET o365/dashboard/backup-status',
  'GET o365/dashboard/highest-storage-users',
  'GET o365/dashboard/license-activity',
  'GET o365/dashboard/licenses',
  'GET o365/dashboard/retention',
  'GET o365/dashboard/users',
  'GET o365/jobs',
  'GET o365/jobs/{jobId}',
  'PUT o365/jobs/{jobId}',
  'DELETE o365/jobs/{jobId}',
  'POST o365/jobs/{jobId}/start',
  'POST o365/jobs/{jobId}/stop',
  'POST o365/jobs/{jobId}/enable',
  'POST o365/jobs/{jobId}/disable',
  'GET o365/jobs/{jobId}/detail/latest',
  'GET o365/jobs/{jobId}/detail/{sessionId}/logs',
  'POST o365/jobs/{jobId}/notifications',
  'GET o365/jobs/{jobId}/notifications',
];

const OURS = [
  'PATCH o365/proxies/{id}',
  'DELETE o365/proxies/{id}',
  'POST o365/organizations/device-code/check',
  'POST o365/repositories/{id}/attach',
  'GET o365/organizations/{organizationId}/server-storage',
  'POST o365/organizations/{organizationId}/server-repositories',
  'POST o365/organizations/{organizationId}/server-repositories/{key}',
  'GET o365/repositories/{id}/server-settings',
  'PATCH o365/repositories/{id}/server-settings',
  'PUT o365/organizations/{organizationId}/restore-approval',
  'GET o365/organizations/{organizationId}/legal-holds',
  'POST o365/organizations/{organizationId}/legal-holds',
  'POST o365/organizations/{organizationId}/legal-holds/{holdId}/release',
  'GET o365/organizations/{organizationId}/exclusions',
  'GET o365/organizations/{organizationId}/exclusions/people',
  'POST o365/organizations/{organizationId}/exclusions',
  'POST o365/organizations/{organizationId}/exclusions/{exclusionId}/end',
  'POST o365/organizations/{organizationId}/health',
  'POST o365/repositories/{id}/clean-up',
  'POST o365/repositories/{id}/verify',
  'GET o365/organizations/{organizationId}/imports',
  'POST o365/organizations/{organizationId}/imports',
  'POST o365/organizations/{organizationId}/imports/imap',
  'POST o365/organizations/{organizationId}/imports/imap/test',
  'POST o365/organizations/{organizationId}/imports/webdav',
  'POST o365/organizations/{organizationId}/imports/webdav/test',
  'GET o365/organizations/{organizationId}/imports/{id}',
  'GET o365/organizations/{organizationId}/imports/{id}/results',
  'POST o365/organizations/{organizationId}/imports/{id}/upload',
  'POST o365/organizations/{organizationId}/imports/{id}/stop',
];

test('SUITE-2: the calls are those of the specification, the check of a device code, the upkeep of repositories, legal holds and exclusions', () => {
  expect(
    Object.values(backupCalls)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  ).toEqual([...SPEC, ...OURS].toSorted());
});

const ID = '0b7e2a3c-1111-4222-8333-444455556666';
const job = {
  organizationId: ID,
  name: 'Mail',
  backupType: 'selecteditems',
  selectedItems: [{ type: 'User', id: 'ann' }],
  repositoryId: ID,
  schedulePolicy: {
    schedule: { type: 'Daily', dailyType: 'Everyday', dailyTime: '22:00' },
    backupWindow: null,
    retryNumber: 3,
    retryWaitInterval: 10,
  },
};
const parsed = (input: unknown) => v.safeParse(backupCalls.createBackupJob.input, input);

/** The parts of an item, as the call reads them. */
function readParts(field: 'selectedItems' | 'excludedItems', item: object): readonly string[] {
  const { output } = parsed({ ...job, [field]: [{ type: 'User', id: 'ann', ...item }] });
  const [one] = (output as Record<typeof field, { parts: string[] }[]>)[field];
  return one?.parts.toSorted() ?? [];
}
const OF_A_GROUP = { type: 'Group', id: 'crew' };

test('SUITE-2: the type of a backup ignores case, and a selected item has its personal site and not its sites by default', () => {
  expect(parsed(job).output).toMatchObject({ backupType: 'SelectedItems' });
  for (const item of [{}, OF_A_GROUP, { mailbox: true }, { oneDrive: false }]) {
    expect(readParts('selectedItems', item)).toContain('personalSite');
    expect(readParts('selectedItems', item)).not.toContain('sites');
    const changed = readParts('selectedItems', { ...item, sites: true, personalSite: false });
    expect(changed).toContain('sites');
    expect(changed).not.toContain('personalSite');
  }
});

// Each line: what a client sends, and every part that it gets.
test('SUITE-2: a selected item that names its mailbox, archive, OneDrive or team leaves out those that it does not name', () => {
  const always = ['members', 'personalSite', 'subsites'];
  const lines: readonly (readonly [object, readonly string[]])[] = [
    [{}, ['mailbox', 'archiveMailbox', 'oneDrive', 'teams']],
    [{ oneDrive: true }, ['oneDrive']],
    [{ mailbox: true }, ['mailbox']],
    [{ mailbox: true, personalSite: true }, ['mailbox']],
    [{ mailbox: true, archiveMailbox: true }, ['mailbox', 'archiveMailbox']],
    [{ mailbox: false }, ['archiveMailbox', 'oneDrive', 'teams']],
    [{ oneDrive: false }, ['mailbox', 'archiveMailbox', 'teams']],
    [{ ...OF_A_GROUP, mailbox: true }, ['mailbox']],
    [{ ...OF_A_GROUP, teams: true }, ['teams']],
    [{ ...OF_A_GROUP, teams: false }, ['mailbox', 'archiveMailbox', 'oneDrive']],
    [{ ...OF_A_GROUP, sites: true }, ['mailbox', 'archiveMailbox', 'oneDrive', 'teams', 'sites']],
  ];
  for (const [item, parts] of lines)
    expect([item, readParts('selectedItems', item)]).toEqual([
      item,
      [...parts, ...always].toSorted(),
    ]);
  expect(readParts('selectedItems', { type: 'Team', id: 'crew', sites: true })).toContain('teams');
});

test('SUITE-2: an excluded item excludes what it names, and all of it if it names nothing', () => {
  const always = ['members', 'subsites'];
  const all = ['mailbox', 'archiveMailbox', 'oneDrive', 'personalSite', 'sites', 'teams'];
  const lines: readonly (readonly [object, readonly string[]])[] = [
    [{}, all],
    [OF_A_GROUP, all],
    [{ mailbox: true }, ['mailbox']],
    [{ oneDrive: true }, ['oneDrive']],
    [{ personalSite: true }, ['personalSite']],
    [{ ...OF_A_GROUP, mailbox: true }, ['mailbox']],
    [{ ...OF_A_GROUP, sites: true }, ['sites']],
    [{ type: 'Team', id: 'crew', teams: true }, ['teams']],
    [{ mailbox: false }, all.filter((part) => part !== 'mailbox')],
  ];
  for (const [item, parts] of lines)
    expect([item, readParts('excludedItems', item)]).toEqual([
      item,
      [...parts, ...always].toSorted(),
    ]);
});

test('SUITE-2: a job with a wrong field is refused, naming the field', () => {
  const wrong: Readonly<Record<string, unknown>> = {
    'name': { name: '' },
    'backupType': { backupType: 'everything' },
    'selectedItems.0.type': { selectedItems: [{ type: 'Printer', id: 'p' }] },
    'schedulePolicy.schedule.dailyTime': {
      schedulePolicy: {
        ...job.schedulePolicy,
        schedule: { ...job.schedulePolicy.schedule, dailyTime: '25:00' },
      },
    },
    'schedulePolicy.backupWindow': {
      schedulePolicy: { ...job.schedulePolicy, backupWindow: '101' },
    },
    'schedulePolicy.retryNumber': { schedulePolicy: { ...job.schedulePolicy, retryNumber: -1 } },
    'notification.externalAddresses.0': {
      notification: {
        enabled: true,
        notifyOnFailure: true,
        userIds: [],
        externalAddresses: ['nobody'],
      },
    },
    'password': { password: 'x' },
  };
  for (const [path, change] of Object.entries(wrong))
    expect([
      path,
      parsed({ ...job, ...(change as object) }).issues?.map((issue) => v.getDotPath(issue)),
    ]).toEqual([path, [path]]);
  expect(parsed(job).success).toBe(true);
  const closed = { ...job.schedulePolicy, backupWindow: '0'.repeat(168) };
  for (const { input } of [backupCalls.createBackupJob, backupCalls.updateBackupJob]) {
    const { organizationId: _, ...fields } = { ...job, schedulePolicy: closed };
    const place =
      input === backupCalls.createBackupJob.input ? { organizationId: ID } : { jobId: ID };
    const { issues = [] } = v.safeParse(input, { ...fields, ...place });
    expect(issues.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([
      ['schedulePolicy.backupWindow', 'The backup window has no hours. Choose at least one hour.'],
    ]);
  }
});
