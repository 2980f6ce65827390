import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { LONG } from '../users/fixtures.ts';
import { aSuite, CODE, job, organization, repository } from '../backup/fixtures.ts';
import { binaries } from '../db/binaries.ts';
import { freshStore } from '../db/databases.ts';
import { collectStatements, findUnconditional } from '../db/statements.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Office } from '../sync/fixtures.ts';
import type { Fixture } from './fixtures.ts';
import {
  compareAnswers,
  compareReads,
  getPathIds,
  listReadable,
  type Readable,
} from './foreign-answers.ts';
import {
  alarm,
  importInputs,
  serverRepositoryInputs,
  loadStored,
  loadTenantTables,
  connection,
  credentials,
  getNodeInputs,
  getOrganizationInputs,
  getMissing,
  hint,
  LATER,
  dropPolicies,
  getAddress,
  must,
  restoreRole,
  rule,
  setting,
  theSecondCompany,
  webhook,
} from './foreign-fixtures.ts';
import type { Theirs } from './foreign-fixtures.ts';

/** Words and ids of a company, and of a provider, that must reach nobody else. */
const CANARY = /canary|zoe smith/i;
const NAMES = (Object.keys(CALLS) as CallName[]).filter(
  (name) => getCall(name).gate !== 'public' && getCall(name).gate !== 'ingest-key',
);

type Bodies = Readonly<Partial<Record<CallName, object>>>;

/** Each call that changes or makes something, with what is theirs in every place that takes it. */
const writes = (of: Theirs): Bodies => ({
  changeExecution: { id: String(of.run), change: { kind: 'note', content: 'reach' } },
  changeExecutions: { ids: [of.run], change: { kind: 'review', comment: null } },
  createKey: { name: 'Reach', companyN: 2, tool: 'api' },
  rotateKey: { id: of.key },
  revokeKey: { id: of.key },
  ignoreMissed: { jobInstanceUid: of.job, ignoredUntil: LATER },
  unignoreMissed: { jobInstanceUid: of.job },
  ignoreDisabled: { jobInstanceUid: of.job },
  unignoreDisabled: { jobInstanceUid: of.job },
  noteComputer: { id: of.computer, note: 'reach' },
  ignoreComputer: { id: of.computer },
  unignoreComputer: { id: of.computer },
  saveView: { id: of.view, name: 'Reach', query: 'a=b', shared: false },
  removeView: { id: of.view },
  createRule: { rule: rule([2]) },
  changeRules: { id: of.rule, rule: rule([2]) },
  removeRule: { id: of.rule },
  testRule: { when: rule([2]).when, does: rule([2]).does },
  changeHint: { id: of.hint, hint },
  removeHint: { id: of.hint },
  rateHint: { id: of.hint, run: of.run, helped: true },
  saveSlaAlarm: { alarm: alarm([2]) },
  changeSlaAlarm: { id: of.alarm, alarm: alarm([2]) },
  removeSlaAlarm: { id: of.alarm },
  changeWebhook: { id: of.webhook, webhook },
  removeWebhook: { id: of.webhook },
  renewWebhookSecret: { id: of.webhook },
  testWebhook: { id: of.webhook },
  redeliver: { id: of.webhook, delivery: of.delivery },
  createConnection: { kind: 'vbr', ...connection(2), credentials },
  editConnection: { id: of.connection, ...connection(2), credentials },
  deleteConnection: { id: of.connection },
  testConnection: {
    id: of.connection,
    kind: 'vbr',
    address: 'https://canary.example',
    certificate: null,
  },
  syncConnection: { id: of.connection },
  commandServerJob: { id: of.connection, job: 'Canary', action: 'start' },
  editProfile: { id: of.user, name: 'Reach' },
  changePasswordDb: { id: of.user, currentPassword: LONG, newPassword: `${LONG} x` },
  changePasswordAd: { id: of.user, currentPassword: LONG, newPassword: `${LONG} x` },
  sendEmailLink: { id: of.user },
  setSecurityQuestions: {
    id: of.user,
    answers: [1, 2, 3].map((n) => ({ question: `q${n}`, answer: 'reach' })),
  },
  prefer: { id: of.user, name: 'theme', value: '"dark"' },
  pinCompany: { id: of.user, company: '1', pinned: true },
  beginTotp: { id: of.user },
  confirmTotp: { id: of.user, code: '123456' },
  removeTotp: { id: of.user },
  renewRecoveryCodes: { id: of.user },
  setSms: { id: of.user, on: false },
  passkeyOptions: { id: of.user },
  removePasskey: { id: of.user, key: of.apiKey },
  endSession: { id: of.user, session: of.session },
  createApiKey: {
    id: of.user,
    name: 'Reach',
    abilities: ['monitoring.daily-checks'],
    until: Date.parse(LATER),
  },
  revokeApiKey: { id: of.user, key: of.apiKey },
  revokeUserApiKey: { id: of.user, key: of.apiKey },
  loginAs: { userId: of.user, reason: 'To reach what is theirs' },
  createUser: {
    username: 'reach',
    name: 'Reach',
    email: 'reach@example.net',
    roles: ['operator'],
    companies: [2],
    auth: 'db',
    password: LONG,
  },
  editUser: { id: of.user, name: 'Reach' },
  deleteUser: { id: of.user },
  removeUser: { id: of.user },
  addUserAccount: { id: of.user, accountId: 'reach' },
  removeUserAccount: { id: of.user, accountId: 'canary-account' },
  resetFactors: { id: of.user },
  setPasswordDb: { id: of.user, password: `${LONG} y` },
  setPasswordAd: { id: of.user, password: `${LONG} y` },
  editCompany: { id: of.company, name: 'Reach' },
  deleteCompany: { id: of.company },
  setHosts: { id: of.tenant, hosts: ['reach.example.net'] },
  inviteUser: { id: of.tenant, email: null },
  editBranding: { id: of.tenant, title: 'Reach' },
  putBrandAsset: { id: of.tenant, name: 'logo', type: 'image/png', base64: 'iVBORw0KGgo=' },
  setProviderSettings: { id: of.tenant, loginAs: false },
  setProviderSecret: { id: of.tenant, name: 'mail', value: 'reach' },
  testProviderSettings: { id: of.tenant, what: 'mail' },
  endNotification: { id: of.notice },
  ackNotification: { notificationId: of.notice, userId: of.user },
  listNotifications: { userId: of.user },
  createReportSetting: { setting: setting([2]) },
  changeReportSetting: { id: of.report, setting: setting([2]) },
  removeReportSetting: { id: of.report },
  sendReport: { reportSettingId: of.report },
  previewReport: {
    setting: {
      name: 'Reach',
      template: 'calendarReportFull',
      companies: [2],
      period: 'last-7',
      language: 'en-US',
    },
  },
  createTicket: { problems: [of.problem], subject: 'Reach' },
  createTickets: { problems: [of.problem], subject: 'Reach' },
  linkTicket: { problems: [of.problem], ticket: '1' },
  changeTicket: { id: of.ticket, subject: 'Reach' },
  deleteTicket: { id: of.ticket },
  removePushDevice: { id: of.device },
  testPushDevice: { id: of.device },
  setCustomers: { pairs: [{ customer: '1', company: 2 }] },
  setMappings: { pairs: [{ company: 2, remote: null }] },
  createOrganization: organization(2, { name: 'Reach' }),
  ...getOrganizationInputs(of.organization),
  updateOrganization: {
    ...without(organization(2, { name: 'Reach' }), ['companyId', 'type']),
    organizationId: of.organization,
  },
  deleteOrganization: { organizationId: of.organization },
  listAllJobs: { organizationsIds: [of.organization] },
  renewCertificate: { organizationId: of.organization, code: CODE },
  requestAppDeviceCode: { organizationId: of.organization },
  requestDeviceCode: { targetRegion: 'Worldwide', companyObjId: 2 },
  createBackupRepository: repository(of.organization, { repository: 'Reach' }),
  updateBackupRepository: { id: of.vault, description: 'Reach' },
  deleteBackupRepository: { id: of.vault },
  attachBackupRepository: { id: of.vault, organizationId: of.organization, password: 'Reach' },
  ...serverRepositoryInputs(of),
  ...importInputs(of),
  cleanUpRepository: { id: of.vault },
  verifyRepository: { id: of.vault },
  updateProxy: { id: of.proxy, maintenance: true },
  deleteProxy: { id: of.proxy },
  listAllRepositories: { organizationsIds: [of.organization] },
  createBackupJob: job(of.organization, of.vault, { name: 'Reach' }),
  updateBackupJob: {
    ...without(job(of.organization, of.vault, { name: 'Reach' }), ['organizationId']),
    jobId: of.backupJob,
  },
  deleteBackupJob: { jobId: of.backupJob },
  startBackupJob: { jobId: of.backupJob },
  stopBackupJob: { jobId: of.backupJob },
  enableBackupJob: { jobId: of.backupJob },
  disableBackupJob: { jobId: of.backupJob },
  setJobNotifications: {
    jobId: of.backupJob,
    enabled: false,
    notifyOnFailure: false,
    userIds: [],
    externalAddresses: [],
  },
  createRestoreRole: { organizationId: of.organization, ...restoreRole },
  updateRestoreRole: {
    organizationId: of.organization,
    opRoleId: of.restoreRole,
    ...restoreRole,
  },
  deleteRestoreRole: { organizationId: of.organization, opRoleId: of.restoreRole },
  openRestoreSession: {
    organizationId: of.organization,
    datetime: 1_800_000_000_000,
    sessionType: 'Vex',
  },
  stopRestoreSession: { restoreSessionId: of.restoreSession },
  requestRestoreDeviceCode: { organizationId: of.organization },
  requestRestoreToken: { organizationId: of.organization },
  cancelRestoreTask: { taskId: of.session, organizationId: of.organization },
  approveRestoreTask: { taskId: of.session, organizationId: of.organization, reason: 'Fine' },
  rejectRestoreTask: { taskId: of.session, organizationId: of.organization, reason: 'Not fine' },
  undoRestoreTask: { taskId: of.session, organizationId: of.organization },
  retryRestoreTask: { taskId: of.session, organizationId: of.organization },
  restoreMailbox: { restoreSessionId: of.restoreSession, mailboxId: 'o1' },
  restoreMailFolder: { restoreSessionId: of.restoreSession, mailboxId: 'o1', folderId: 'f1.1' },
  restoreMailItems: { restoreSessionId: of.restoreSession, mailboxId: 'o1', items: ['i1.1'] },
  createMailPreview: { restoreSessionId: of.restoreSession, mailboxId: 'o1', itemId: 'i1.1' },
  downloadMailbox: { restoreSessionId: of.restoreSession, mailboxId: 'o1' },
  downloadMailFolder: { restoreSessionId: of.restoreSession, mailboxId: 'o1', folderId: 'f1.1' },
  downloadMailItems: { restoreSessionId: of.restoreSession, mailboxId: 'o1', items: ['i1.1'] },
  downloadDrive: { restoreSessionId: of.restoreSession, onedriveId: 'o1' },
  downloadDriveFolder: { restoreSessionId: of.restoreSession, onedriveId: 'o1', folderId: 'f1.1' },
  downloadDocuments: { restoreSessionId: of.restoreSession, onedriveId: 'o1', documents: ['i1.1'] },
  ...getNodeInputs(of.restoreSession),
  cancelBackgroundDownload: { id: of.download, action: 'cancel' },
  deleteBackgroundDownload: { id: of.download },
  restoreDrive: { restoreSessionId: of.restoreSession, onedriveId: 'o1' },
  restoreDriveFolder: { restoreSessionId: of.restoreSession, onedriveId: 'o1', folderId: 'f1.1' },
  restoreDocuments: { restoreSessionId: of.restoreSession, onedriveId: 'o1', documents: ['i1.1'] },
  restoreSite: { restoreSessionId: of.restoreSession, siteId: 'o1' },
  restoreList: { restoreSessionId: of.restoreSession, siteId: 'o1', listId: 'f1.1' },
  restoreLibrary: { restoreSessionId: of.restoreSession, siteId: 'o1', libraryId: 'f1.1' },
  restoreSiteFolder: { restoreSessionId: of.restoreSession, siteId: 'o1', folderId: 'f1.1' },
  restoreSiteDocuments: { restoreSessionId: of.restoreSession, siteId: 'o1', documents: ['i1.1'] },
  restoreSiteItems: { restoreSessionId: of.restoreSession, siteId: 'o1', items: ['i1.1'] },
  downloadLibrary: { restoreSessionId: of.restoreSession, siteId: 'o1', libraryId: 'f1.1' },
  downloadSiteFolder: { restoreSessionId: of.restoreSession, siteId: 'o1', folderId: 'f1.1' },
  downloadSiteDocuments: { restoreSessionId: of.restoreSession, siteId: 'o1', documents: ['i1.1'] },
  createFilePreview: { restoreSessionId: of.restoreSession, fileId: 'i1.1' },
  createPostPreview: { restoreSessionId: of.restoreSession, teamId: 'o1', postId: 'i1.1' },
  restoreTeam: { restoreSessionId: of.restoreSession, teamId: 'o1' },
  restoreTeamChannel: { restoreSessionId: of.restoreSession, teamId: 'o1', channelId: 'f1.1' },
  restoreTeamFiles: { restoreSessionId: of.restoreSession, teamId: 'o1', files: ['i1.1'] },
  restoreTeamPosts: { restoreSessionId: of.restoreSession, teamId: 'o1', posts: ['i1.1'] },
  restoreTeamTabs: { restoreSessionId: of.restoreSession, teamId: 'o1', tabs: ['i1.1'] },
  downloadTeamFiles: { restoreSessionId: of.restoreSession, teamId: 'o1', files: ['i1.1'] },
  updateUsage: { usageId: of.usage, users: 1, gigabytes: 1 },
  ackUsage: { usageId: of.usage },
  unackUsage: { usageId: of.usage },
  previewSubscription: { companyId: of.company, operation: 'cancel' },
  startSubscription: {
    companyId: of.company,
    level: 'basic',
    minimumUsers: 0,
    trialEndsAt: null,
  },
  cancelSubscription: { companyId: of.company },
  updateSubscription: { companyId: of.company, userMills: 1, minimumUsers: 1 },
  updateTrial: { companyId: of.company, trialEndsAt: null },
  changeServiceLevel: { companyId: of.company, level: 'advanced' },
  rollbackSubscription: { companyId: of.company },
  writeOffCompanyDebt: { companyId: of.company },
  deleteSubscriber: { companyId: of.company },
  getPrecalculatedQuantity: { companyId: of.company },
  sendMonthInvoice: { usageId: of.usage, userItem: '1' },
  updateCard: { companyId: of.company },
  collectCard: { companyId: of.company },
  subscribeByCard: { companyId: of.company },
  payInvoiceOnline: { companyId: of.company },
  restoreDeletedCompany: { companyId: of.company },
});

const without = (body: object, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));

/** Calls that take nothing of anybody's, with the reason. */
const NOTHING_OF_OTHERS: Readonly<Partial<Record<CallName, string>>> = {
  logout: 'the own session',
  reauthOptions: 'the own session',
  reauthCode: 'the own session',
  reauth: 'the own session',
  exitLoginAs: 'the own session',
  addPasskey: 'begun by passkeyOptions',
  endShift: 'numbers of the own, told to who sees all',
  createHint: 'of the whole provider',
  createWebhook: 'of the whole provider',
  createCompany: 'new',
  createProvider: 'new',
  publishNotification: 'of the own provider',
  sendSupport: 'the own',
  validateSso: 'the own',
  saveNotify: 'the own',
  sendDigest: 'the own',
  addPushDevice: 'new',
  renewPushDevice: 'by its address',
  chatToken: 'the own',
  checkMappings: 'of the own provider',
  setTicketing: 'of the own provider',
  testTicketing: 'of the own provider',
  setQuickBooks: 'of the own provider',
  beginQuickBooks: 'of the own provider',
  finishQuickBooks: 'of the own provider',
  testQuickBooks: 'of the own provider',
  removeQuickBooks: 'of the own provider',
  checkDeviceCode: 'the engine knows whose code it is',
  importServer: 'a server outside',
  testServer: 'a server outside',
  listBackgroundDownloads: 'the own',
  exportResults: 'read below',
  exportLicensing: 'read below',
  exportInvoices: 'read below',
  exportUsers: 'read below',
  exportCompanies: 'read below',
  exportSubscriptions: 'read below',
  refreshUsage: 'of the own provider, and says only how many',
  setBillingSettings: 'of the own provider',
  setBillingSecret: 'of the own provider',
};

let readable: Readable[];
let fixture: Fixture;
let office: Office;
let theirs: Theirs;
let statements: ReturnType<typeof collectStatements>;

beforeAll(async () => {
  // A database of its own, because its policies are dropped.
  ({ ground: fixture, office } = await aSuite(
    await freshStore(binaries() === null ? 'pglite' : 'postgres'),
  ));
  theirs = await theSecondCompany(fixture, office);
  statements = collectStatements();
  const ids = Object.values(theirs).map(String);
  readable = await listReadable(await office.as('owner', [...ROLES]), NAMES, ids);
});
afterAll(() => statements.stop());

test("G30: every call that changes something is tested with others' IDs, or takes none", () => {
  const request = new Set<string>([
    ...Object.keys(writes(theirs)),
    ...Object.keys(NOTHING_OF_OTHERS),
  ]);
  expect(NAMES.filter((name) => getCall(name).method !== 'GET' && !request.has(name))).toEqual([]);
});

/**
 * Answered otherwise than with "there is none" or "not yours": what names a company of another is
 * told so at its field; several are told one by one, and who invites does so for the own companies.
 */
const IN_WORDS = [
  'changeExecutions 200',
  'saveSlaAlarm 400',
  'inviteUser 200',
  'createReportSetting 400',
  'previewReport 400',
  'listAllJobs 200',
  'listAllRepositories 200',
];
/** At another provider the second company is the own one. */
const OWN_THERE = [
  'changeExecutions 200',
  'createKey 200',
  'saveView 200',
  'removeView 200',
  'createRule 200',
  'testRule 200',
  'saveSlaAlarm 200',
  'createConnection 200',
  'createUser 200',
  'createReportSetting 200',
  'previewReport 200',
  'setMappings 400',
  'createOrganization 200',
  'listAllJobs 200',
  'requestDeviceCode 200',
  'listAllRepositories 200',
];
const WHO = [
  [
    'of another company, with every role',
    () => office.as(`cora-${fixture.context.chance.uuid()}`, [...ROLES], [1]),
    IN_WORDS,
  ],
  [
    'of another provider, with every role',
    async () => (await anOffice(fixture)).as('olga', [...ROLES]),
    OWN_THERE,
  ],
  [
    'of another provider, with every role and without the policies of the database (G31, T3)',
    async () => {
      await dropPolicies(fixture.context);
      return (await anOffice(fixture)).as('olga', [...ROLES]);
    },
    OWN_THERE,
  ],
] as const;

for (const [who, begin, passes] of WHO) {
  test(`G30, G29: a user ${who} changes nothing of others and learns nothing about it, whatever IDs it sends`, async () => {
    const asker = await begin();
    const before = await loadStored(fixture, office);
    const took: string[] = [];
    const other: string[] = [];
    const differing: string[] = [];
    const missing: Bodies = writes(getMissing(theirs));
    for (const [name, input] of Object.entries(writes(theirs)) as [CallName, object][]) {
      const foreign = getAddress(name, input);
      const { status, text } = await asker(foreign.method, foreign.path, foreign.body);
      if (status !== 404 && status !== 403) other.push(`${name} ${status}`);
      else if (name !== 'saveView') {
        // A view is created under the ID that it is sent with.
        const absent = getAddress(name, missing[name] ?? {});
        differing.push(...(await compareAnswers(statements, asker, name, foreign, absent)));
      }
      if (CANARY.test(text)) took.push(`${name} tells ${text.slice(0, 200)}`);
    }
    expect(took).toEqual([]);
    expect(other).toEqual(passes);
    expect(differing).toEqual([]);
    expect(await loadStored(fixture, office)).toEqual(before);
  });

  test(`G29: what a user ${who} may not read is refused with the same bytes and the same statements as what does not exist`, async () => {
    const differing = await compareReads(statements, await begin(), readable);
    expect(differing).toEqual([]);
    expect(new Set(readable.map(({ name }) => name)).size).toBeGreaterThan(20);
  });

  test(`G30: a user ${who} reads nothing of others, whatever it requests`, async () => {
    const asker = await begin();
    const details: string[] = [];
    const ids = new Set(Object.values(theirs).map(String));
    for (const name of NAMES) {
      const { method, path, output: gives } = getCall(name);
      if (method !== 'GET' || name === 'stream') continue;
      for (const input of path.includes('{') ? [...ids, '2', '2026-03-02'].map(getPathIds) : [{}]) {
        const answer = await asker('GET', getAddress(name, input).path);
        const text = gives === 'bytes' ? Buffer.from(answer.text).toString('latin1') : answer.text;
        if (CANARY.test(text))
          details.push(
            `${name} ${text.slice(Math.max(0, text.search(CANARY) - 80), text.search(CANARY) + 40)}`,
          );
      }
    }
    const more = [
      [
        'GET',
        `sync/events?protocol=2&after=0&epoch=${(await must<Bootstrap>(asker, 'GET', 'sync/bootstrap')).epoch}`,
      ],
      ['GET', 'monitoring/search?text=canary'],
      ['GET', 'monitoring/search?text=zoe'],
      ['GET', 'monitoring/search?text=canary&from=1769900000000&to=1773000000000'],
      ['GET', `monitoring/reporting/evidence?from=0&to=31000000000`],
      [
        'GET',
        `monitoring/reporting/jobs?filters=${encodeURIComponent(JSON.stringify({ companyIds: [2] }))}`,
      ],
      ['GET', 'monitoring/backoffice/tickets/form?company=2'],
      ['GET', `monitoring/backoffice/tickets/form?run=${theirs.run}`],
      ['POST', 'monitoring/reporting/export', { source: 'JOBS' }],
      ['POST', 'monitoring/reporting/export', { source: 'JOBS', filters: { companyIds: [2] } }],
      ['POST', 'monitoring/reporting/licensing/export', {}],
      ['POST', 'monitoring/reporting/users/export', {}],
      ['POST', 'companies/export', {}],
    ] as const;
    for (const [method, path, body] of more) {
      const { text } = await asker(method, path, body);
      if (CANARY.test(text)) details.push(`${path} ${text.slice(0, 200)}`);
    }
    expect(details).toEqual([]);
  });
}

test('G31, T3: each statement of these calls has a condition of its own for each table of a provider', async () => {
  const tables = await loadTenantTables(fixture.context);
  // It finds one that has none.
  expect(findUnconditional('select n from job where n = 1', tables)).toEqual(['job']);
  const texts = [...statements.texts];
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter((text) => findUnconditional(text, tables).length > 0)).toEqual([]);
});
