import { expect, test } from 'vitest';
import type { ConnectionOut } from '#contract/connections/calls.ts';
import { detailWords } from '#src/features/connections/found.tsx';
import {
  type ConnectionDraft,
  getConnectionDraft,
  everyChoices,
  getConnectionInput,
  NEW,
  toTestInput,
  withKind,
} from '#src/features/connections/form.ts';
import { rowsText, getConnectionState } from '#src/features/connections/status-badge.ts';

const part = (
  more: Partial<ConnectionOut['collections'][number]> = {},
): ConnectionOut['collections'][number] => ({
  entity: 'jobs',
  status: 'succeeded',
  startedAt: 1,
  succeededAt: 1,
  nextAt: 2,
  rows: 12_345,
  unlinked: 0,
  fails: 0,
  error: null,
  ...more,
});
const STORED: ConnectionOut = {
  _id: '11111111-1111-4111-8111-111111111111',
  kind: 'vspc',
  name: 'Console',
  address: 'https://vspc.example:1280',
  companyN: null,
  everySec: 300,
  enabled: true,
  certificate: null,
  signIn: 'password',
  user: 'reader',
  madeAt: 0,
  collections: [part()],
  companies: { linked: 0, unlinked: 0 },
  alarms: 0,
};
const TYPED: ConnectionDraft = {
  ...NEW,
  name: 'Console',
  address: 'https://vspc.example:1280',
  secret: 'k',
};

const word = (collections: ConnectionOut['collections'], enabled = true): string =>
  getConnectionState({ collections, enabled }).label;
const row = (
  detail: Record<string, string | number>,
): { uid: string; detail: Record<string, string | number> } => ({ uid: 'u-1', detail });

test('CONN-1: missing values of a connection are reported at their fields before anything is sent', () => {
  expect(getConnectionInput(TYPED, null)).toMatchObject({
    errors: {},
    sent: {
      kind: 'make',
      input: {
        kind: 'vspc',
        credentials: { kind: 'key', secret: 'k' },
        companyN: null,
        certificate: null,
      },
    },
  });
  expect(Object.keys(getConnectionInput(NEW, null).errors).toSorted()).toEqual([
    'address',
    'credentials.secret',
    'name',
  ]);
  expect(getConnectionInput({ ...TYPED, address: 'vspc.example' }, null).errors).toHaveProperty(
    'address',
  );
  expect(
    getConnectionInput({ ...TYPED, address: 'ftp://vspc.example' }, null).errors,
  ).toHaveProperty('address');
  const zerto = withKind(TYPED, 'zerto');
  expect([zerto.signIn, Object.keys(getConnectionInput(zerto, null).errors).toSorted()]).toEqual([
    'client',
    ['companyN', 'credentials.name'],
  ]);
  expect(withKind({ ...zerto, companyN: 4 }, 'vspc').companyN).toBeNull();
  // A server of Microsoft 365 has organizations of many companies too, and only a password.
  const server = withKind({ ...zerto, companyN: 4 }, 'vb365');
  expect([server.companyN, server.signIn]).toEqual([null, 'password']);
  expect(Object.keys(getConnectionInput(server, null).errors)).toEqual(['credentials.name']);
});

const describeJob = (detail: Record<string, string | boolean>, company: string | null = null) =>
  detailWords('jobs', { uid: 'j-1', detail }, company, 'UTC');

test('VB365-8: a job of a server says whose it is, whether it is on, and how its last session ended', () => {
  expect(describeJob({ server: 'Example', enabled: true })).toBe('Example, Has not run yet');
  expect(
    describeJob(
      { enabled: false, lastStatus: 'Failed', lastRun: '2026-03-02T22:00:00Z' },
      'Our company',
    ),
  ).toMatch(/^Our company, Disabled, Failed, last run .*10:00/);
  expect(describeJob({ lastStatus: 'NotConfigured', lastRun: '2026-03-02T22:00:00Z' })).toMatch(
    /^Unknown result, last run /,
  );
});

test('CONN-1: the stored secret is kept if nothing about it changes, and is required again for another address, name or sign-in', () => {
  const draft = getConnectionDraft(STORED);
  expect(getConnectionInput({ ...draft, name: 'Another', everySec: 900 }, STORED)).toMatchObject({
    errors: {},
  });
  expect(getConnectionInput({ ...draft, name: 'Another' }, STORED).sent.input).not.toHaveProperty(
    'credentials',
  );
  expect(toTestInput(draft, STORED)).toEqual({
    id: '11111111-1111-4111-8111-111111111111',
    kind: 'vspc',
    address: 'https://vspc.example:1280',
    certificate: null,
  });
  for (const next of [
    { address: 'https://other.example:1280' },
    { user: 'other' },
    { signIn: 'key' as const },
  ])
    expect(getConnectionInput({ ...draft, ...next }, STORED).errors).toHaveProperty([
      'credentials.secret',
    ]);
  expect(getConnectionInput({ ...draft, secret: 'new' }, STORED).sent.input).toMatchObject({
    credentials: { kind: 'password', name: 'reader', secret: 'new' },
  });
});

test('CONN-2: the status of a connection is that of its worst part', () => {
  expect(word([part(), part()])).toBe('Synced');
  expect(word([part(), part({ status: 'failed', fails: 2 })])).toBe('1 part failed');
  expect(word([part({ status: 'failed', fails: 2 })])).toBe('All parts failed');
  expect(word([part({ status: 'running', fails: 1 }), part()])).toBe('1 part failed');
  expect(word([part({ status: 'running' }), part()])).toBe('Syncing');
  expect(word([part({ succeededAt: null, status: 'waiting' })])).toBe('Waiting');
  expect(word([part({ fails: 3 })], false)).toBe('Off');
  expect([
    rowsText(part()),
    rowsText(part({ unlinked: 45 })),
    rowsText(part({ succeededAt: null })),
  ]).toEqual(['12,345', '12,345, 45 not linked to a company', '']);
});

test('CONN-2: a line sums up what was found, and its interval is in words', () => {
  expect(detailWords('companies', row({}), null, 'UTC')).toBe('Not linked. ID in the console: u-1');
  expect(detailWords('companies', row({}), 'Ours', 'UTC')).toBe('Linked to Ours');
  expect(
    detailWords(
      'alarms',
      row({ severity: 'Error', object: 'Main', computer: 'vbr-1' }),
      'Ours',
      'UTC',
    ),
  ).toBe('Error, Main, vbr-1, Ours');
  expect(
    detailWords(
      'licences',
      row({
        product: 'BackupAndReplication',
        workload: 'VMs',
        usedUnits: 12,
        unitType: 'Points',
        usedCount: 12,
        newCount: 1,
      }),
      null,
      'UTC',
    ),
  ).toBe('BackupAndReplication, VMs, 12 points, 12 in use, 1 new');
  expect(everyChoices(120).map(([sec]) => sec)).toEqual([60, 120, 300, 900, 1_800, 3_600, 14_400]);
});
