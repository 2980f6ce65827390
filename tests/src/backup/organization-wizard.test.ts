import { createActor, fromPromise, waitFor } from 'xstate';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { getCall } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { getStepViews, makeWizardMachine } from '#machines/wizard.ts';
import type { WizardDraft, WizardInput } from '#machines/wizard.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { requestCode } from '#src/features/backup/organizations/device-code/calls.ts';
import {
  firstRunPrefill,
  newOrganization,
  ORGANIZATION_WIZARD,
  organizationData,
  organizationFields,
  withSupported,
} from '#src/features/backup/organizations/wizard/definition.ts';
import type { OrganizationData } from '#src/features/backup/organizations/wizard/definition.ts';
import { wizardIssues } from '#src/features/backup/organizations/wizard/wizard-issues.ts';
import type { WorkerClient } from '#workers/api.ts';
import { organization } from './rows.ts';

const UUID = '0a1b2c3d-0000-4000-8000-000000000000';

async function start(input: WizardInput<OrganizationData>) {
  const actor = createActor(
    makeWizardMachine(ORGANIZATION_WIZARD).provide({
      actors: {
        readDraft: fromPromise<WizardDraft<OrganizationData> | null>(() => Promise.resolve(null)),
        saveDraft: fromPromise<Result<unknown>, WizardDraft<OrganizationData>>(() =>
          Promise.resolve<Result<unknown>>(ok(null)),
        ),
        deleteDraft: fromPromise<unknown>(() => Promise.resolve<unknown>(null)),
      },
    }),
    { input },
  ).start();
  await waitFor(actor, (snapshot) => snapshot.matches('filling'));
  const path = (): readonly string[] =>
    getStepViews(ORGANIZATION_WIZARD, actor.getSnapshot().context).map(({ id }) => id);
  return { actor, path };
}

/** The specification's routes of the wizard: `organizations/new/` and one of these. */
test('WIZ-11: each way of signing in has the steps of the specification', async () => {
  const { actor, path } = await start({ step: null });
  const getPath = (changes: Partial<OrganizationData>): string => {
    actor.send({ type: 'EDIT', changes });
    return path().join(' ');
  };
  expect([
    getPath({}),
    getPath({ application: 'existing' }),
    getPath({ legacy: true }),
    getPath({ auth: 'basic', legacy: false }),
    getPath({ isExchangeOnline: false }),
    getPath({ isExchangeOnline: true, isSharePointOnline: false, isTeamsOnline: false }),
  ]).toEqual([
    '1 3/modern 4a/modern 5/modern repo',
    '1 3/modern 4b/modern 5/modern repo',
    '1 3/legacy 4/legacy repo',
    '1 3/basic 4/basic repo',
    '1 4/basic repo',
    '1 3/basic repo',
  ]);
});

test('WIZ-11: the first run is filled in up to the sign-in, and its address opens there', async () => {
  const prefill = firstRunPrefill(7, { portal: 'Northwind', company: 'Copperline' });
  const { actor } = await start({ step: '5/modern', prefill });
  expect(actor.getSnapshot().context).toMatchObject({
    step: '5/modern',
    data: {
      companyN: 7,
      isExchangeOnline: true,
      isSharePointOnline: true,
      isTeamsOnline: true,
      isTeamsChatsOnline: false,
      region: 'Worldwide',
      auth: 'modern',
      newApplicationName: 'Northwind Copperline',
    },
  });
});

test("WIZ-11: a new organization starts with what the provider's engine supports", () => {
  const prefill = firstRunPrefill(7, { portal: 'Northwind', company: 'Copperline' });
  expect(
    withSupported(prefill, { authTypes: ['modern'], services: ['exchange', 'sharepoint'] }),
  ).toEqual({ ...prefill, isTeamsOnline: false, isTeamsChatsOnline: false, legacy: false });
  expect(
    withSupported(prefill, {
      authTypes: ['modernLegacy'],
      services: ['exchange', 'sharepoint', 'teams', 'teamsChats'],
    }),
  ).toEqual({ ...prefill, legacy: true });
});

const listed = (more: Parameters<typeof organization>[0]) => {
  const { company: companyN, ...row } = organization(more);
  return {
    ...row,
    _id: row.id,
    companyId: 'c1',
    companyN,
    companyName: 'Copperline',
    jobs: 0,
    isBackedup: false,
    lastBackuptime: null,
    protected: 0,
    objects: 0,
    server: null,
  };
};

const getMethod = (more: Parameters<typeof organization>[0]): string => {
  const { auth, legacy } = organizationData(listed(more));
  return `${auth} ${legacy}`;
};

test('WIZ-11: the sign-in method of an existing organization comes from what is stored of it', () => {
  const certificate = { thumbprint: 'a'.repeat(40), expiresAt: 1 };
  expect([
    getMethod({ certificate, applicationId: UUID }),
    getMethod({ certificate, applicationId: null }),
    getMethod({ certificate: null, applicationId: UUID }),
    getMethod({ certificate: null, applicationId: null }),
  ]).toEqual(['modern false', 'modern false', 'modern true', 'basic false']);
});

test('WIZ-11: an organization that keeps its application is edited without a sign-in, a secret and a repository', async () => {
  const certificate = { thumbprint: 'a'.repeat(40), expiresAt: 1 };
  const { actor, path } = await start({ step: null });
  const data = organizationData(listed({ certificate, applicationId: UUID }));
  actor.send({ type: 'LOAD', data });
  expect(path()).toEqual(['1', '3/modern']);
  expect(organizationFields(data)).toEqual({
    name: 'Copperline',
    region: 'Worldwide',
    isExchangeOnline: true,
    isSharePointOnline: true,
    isTeamsOnline: false,
    isTeamsChatsOnline: false,
    authType: 'modern',
    exchangeOnlineSettings: {},
    sharePointOnlineSettings: { sharePointSaveAllWebParts: true },
  });
});

/** The fields that the wizard asks for before it saves. */
const findMissing = (data: OrganizationData): string[] =>
  ORGANIZATION_WIZARD.steps
    .filter(({ skip }) => skip?.(data) !== true)
    .flatMap(({ check }) => check(data).map(({ path }) => path));

test('WIZ-11: with a secret, the wizard asks for the domain of the tenant and no account, and an edit asks for nothing again', () => {
  const filled = { ...FILLED, legacy: true, exchangeAccount: '', sharePointAccount: '' };
  expect([
    findMissing(filled),
    findMissing({ ...filled, applicationSecret: '' }),
    findMissing({ ...filled, officeOrganizationName: '' }),
    findMissing({ ...filled, officeOrganizationName: 'https://copperline.example.com' }),
    findMissing(organizationData(listed({ authType: 'modernLegacy', applicationId: UUID }))),
  ]).toEqual([
    [],
    ['applicationSecret'],
    ['officeOrganizationName'],
    ['officeOrganizationName'],
    [],
  ]);
});

test('WIZ-11: a service that is switched on needs a sign-in in the current application too', async () => {
  const certificate = { thumbprint: 'a'.repeat(40), expiresAt: 1 };
  const { actor, path } = await start({ step: null });
  const data = organizationData(listed({ certificate, applicationId: UUID }));
  actor.send({ type: 'LOAD', data });
  const getPath = (changes: Partial<OrganizationData>): string => {
    actor.send({ type: 'EDIT', changes });
    return path().join(' ');
  };
  expect([
    getPath({ isSharePointOnline: false }),
    getPath({ isSharePointOnline: true }),
    // Posts of channels need Teams.
    getPath({ isTeamsChatsOnline: true }),
    getPath({ isTeamsOnline: true }),
  ]).toEqual(['1 3/modern', '1 3/modern', '1 3/modern', '1 3/modern 5/modern']);
  const changed = { ...data, isTeamsOnline: true, deviceCode: UUID };
  expect(findMissing({ ...changed, deviceCode: null })).toEqual(['deviceCode']);
  const fields = organizationFields(changed);
  expect(fields.userCode).toBe(UUID);
  // Without these two, the application stays.
  expect([fields.newApplicationName, fields.exchangeOnlineSettings]).toEqual([undefined, {}]);
});

const FILLED: OrganizationData = {
  ...ORGANIZATION_WIZARD.empty,
  companyN: 7,
  name: ' Copperline ',
  newApplicationName: 'Northwind Copperline',
  applicationId: UUID,
  applicationSecret: 'a secret',
  officeOrganizationName: 'copperline.example.com',
  exchangeAccount: 'svc@example.com',
  exchangePassword: 'one',
  sharePointAccount: 'svc@example.com',
  sharePointPassword: 'two',
  deviceCode: UUID,
  repository: 'Main',
  hasOwnPassword: true,
  password: 'a long password of mine',
  repeatPassword: 'a long password of mine',
  passwordDescription: 'the usual',
};

test('WIZ-11: every sign-in method makes an input that the server accepts', () => {
  const { input } = getCall('createOrganization');
  for (const changes of [
    { application: 'new' },
    { application: 'existing' },
    { legacy: true },
    { auth: 'basic' },
    { hasRepository: false },
  ] as const) {
    const made = newOrganization({ ...FILLED, ...changes });
    const parsed = v.safeParse(input, made);
    expect([changes, parsed.issues ?? []]).toEqual([changes, []]);
  }
  expect(newOrganization({ ...FILLED, auth: 'basic' })).toMatchObject({
    authType: 'basic',
    exchangeOnlineSettings: { account: 'svc@example.com', password: 'one' },
    sharePointOnlineSettings: { account: 'svc@example.com', password: 'two' },
  });
  const application = {
    applicationId: UUID,
    applicationSecret: 'a secret',
    officeOrganizationName: 'copperline.example.com',
  };
  // An application with a secret needs the tenant's domain, and no account.
  expect(newOrganization({ ...FILLED, legacy: true })).toMatchObject({
    authType: 'modernLegacy',
    exchangeOnlineSettings: application,
    sharePointOnlineSettings: application,
  });
  expect(newOrganization(FILLED)).toMatchObject({
    authType: 'modern',
    userCode: UUID,
    newApplicationName: 'Northwind Copperline',
    repository: { repository: 'Main', retentionPolicy: 'Years3' },
  });
});

test('OBJ-1: the first repository may be in a bucket, whose fields the step checks', () => {
  const bucket = {
    isBucket: true,
    endpoint: 'https://s3.example.com/',
    region: 'eu-central-1',
    bucket: 'backups',
    prefix: 'office',
    certificate: '',
    objectLock: null,
  };
  const filled = { ...FILLED, storage: bucket, accessKeyId: 'KEY', secretAccessKey: 'secret' };
  const made = newOrganization(filled);
  expect(v.safeParse(getCall('createOrganization').input, made).issues ?? []).toEqual([]);
  expect(made.repository?.storage).toEqual({
    endpoint: 'https://s3.example.com',
    region: 'eu-central-1',
    bucket: 'backups',
    prefix: 'office',
    certificate: null,
    accessKeyId: 'KEY',
    secretAccessKey: 'secret',
  });

  const step = ORGANIZATION_WIZARD.steps.find(({ id }) => id === 'repo');
  const findPaths = (changes: Partial<OrganizationData>): string[] =>
    (step?.check?.({ ...filled, ...changes }) ?? []).map(({ path }) => path);
  expect([
    findPaths({}),
    findPaths({ secretAccessKey: '' }),
    findPaths({ storage: { ...bucket, endpoint: 's3.example.com', bucket: '' } }),
    findPaths({ storage: { ...bucket, isBucket: false, endpoint: '', bucket: '' } }),
  ]).toEqual([[], ['secretAccessKey'], ['storage.endpoint', 'storage.bucket'], []]);

  // Its files can be locked, but not for ever.
  const locked = { storage: { ...bucket, objectLock: 'Compliance' as const } };
  const withLock = newOrganization({ ...filled, ...locked });
  expect(v.safeParse(getCall('createOrganization').input, withLock).issues ?? []).toEqual([]);
  expect(withLock.repository?.storage?.objectLock).toBe('Compliance');
  expect(findPaths(locked)).toEqual([]);
  expect(findPaths({ ...locked, retentionPolicy: 'Keep' })).toEqual(['retentionPolicy']);
});

test('WIZ-11: another company or cloud needs another code, and no draft has a secret or a code', async () => {
  const { actor } = await start({ step: null, prefill: FILLED });
  actor.send({ type: 'EDIT', changes: { region: 'China' } });
  expect(actor.getSnapshot().context.data.deviceCode).toBeNull();
  const secrets = new Set<string>(ORGANIZATION_WIZARD.secrets);
  expect(
    [
      'applicationSecret',
      'exchangePassword',
      'sharePointPassword',
      'password',
      'repeatPassword',
      'secretAccessKey',
      'deviceCode',
    ].filter((name) => !secrets.has(name)),
  ).toEqual([]);
});

test('WIZ-10, G13: a code is valid for as long as the server says, whatever the clock of the device shows', async () => {
  const code = {
    id: UUID,
    userCode: 'WDJB-MJHT',
    verificationUrl: 'https://login.example.com/device',
    intervalMs: 5_000,
  };
  const answer = ok({ ...code, expiresAt: 1, expiresInMs: 900_000 });
  setClient({ ask: () => Promise.resolve(answer) } as unknown as WorkerClient);
  const shown = await requestCode('requestAppDeviceCode', { organizationId: UUID });
  expect(shown).toMatchObject({ ok: true, value: { ...code, expiresInMs: 900_000 } });
});

test('WIZ-8: an error of the server is shown at the field of the wizard', () => {
  expect(
    wizardIssues([
      { path: 'userCode', message: 'a' },
      { path: 'sharePointOnlineSettings.password', message: 'b' },
      { path: 'repository.repository', message: 'c' },
      { path: 'name', message: 'd' },
      { path: 'repository.storage.bucket', message: 'e' },
      { path: 'repository.storage.secretAccessKey', message: 'f' },
    ]).map(({ path }) => path),
  ).toEqual([
    'deviceCode',
    'sharePointPassword',
    'repository',
    'name',
    'storage.bucket',
    'secretAccessKey',
  ]);
});
