import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { aSuite } from '../backup/fixtures.ts';
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
  loadStored,
  loadTenantTables,
  getMissing,
  dropPolicies,
  getAddress,
  must,
  theSecondCompany,
} from './foreign-fixtures.ts';
import type { Theirs } from './foreign-fixtures.ts';
import { getForeignWrites } from './foreign-writes.ts';
import type { Bodies } from './foreign-writes.ts';

/** Words and ids of a company, and of a provider, that must reach nobody else. */
const CANARY = /canary|zoe smith/i;
const NAMES = (Object.keys(CALLS) as CallName[]).filter(
  (name) => getCall(name).gate !== 'public' && getCall(name).gate !== 'ingest-key',
);

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
    ...Object.keys(getForeignWrites(theirs)),
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
    const missing: Bodies = getForeignWrites(getMissing(theirs));
    for (const [name, input] of Object.entries(getForeignWrites(theirs)) as [CallName, object][]) {
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
    expect(
      other,
      'A call that answers 200 took an ID of others, unless it is one of the own provider (IN_WORDS, OWN_THERE).',
    ).toEqual(passes);
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
