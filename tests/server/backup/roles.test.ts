import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aSuite, CODE, job, makeAll, organization, repository } from './fixtures.ts';
import type { Made, Suite } from './fixtures.ts';

type Request = readonly [method: string, path: string, body?: object];
/** Every call of the three sections of the specification, with something that exists. */
const requests = (of: Made): readonly Request[] => [
  ['GET', 'o365/organizations'],
  ['POST', 'o365/organizations', organization(2, { name: 'New' })],
  ['GET', 'o365/organizations/names'],
  ['GET', `o365/organizations/${of.organization}`],
  [
    'PUT',
    `o365/organizations/${of.organization}`,
    { ...organization(2), companyId: undefined, type: undefined },
  ],
  ['DELETE', `o365/organizations/${of.organization}`],
  ['GET', `o365/organizations/${of.organization}/users`],
  ['GET', `o365/organizations/${of.organization}/groups`],
  ['GET', `o365/organizations/${of.organization}/teams`],
  ['GET', `o365/organizations/${of.organization}/sites`],
  ['GET', `o365/organizations/${of.organization}/sites/s/children`],
  ['GET', `o365/organizations/${of.organization}/jobs`],
  ['POST', 'o365/organizations/all-jobs', { organizationsIds: [of.organization] }],
  [
    'POST',
    'o365/organizations/from-api',
    { apiUrl: 'https://127.0.0.1:9', username: 'u', password: 'p' },
  ],
  ['POST', 'o365/organizations/renew-certificate', { organizationId: of.organization, code: CODE }],
  ['POST', 'o365/organizations/app-device-code', { organizationId: of.organization }],
  ['POST', 'o365/organizations/device-code', { targetRegion: 'Worldwide', companyObjId: 2 }],
  ['POST', 'o365/organizations/device-code/check', { code: CODE }],
  ['GET', 'o365/version?companyObjId=2'],
  ['GET', `o365/repositories?organizationId=${of.organization}`],
  ['POST', 'o365/repositories', repository(of.organization)],
  ['PATCH', `o365/repositories/${of.repository}`, { description: 'Reach' }],
  ['DELETE', `o365/repositories/${of.repository}`],
  ['POST', 'o365/repositories/all', { organizationsIds: [of.organization] }],
  ['GET', `o365/proxies?organizationId=${of.organization}`],
  ['GET', 'o365/proxies/proxypools?companyId=2'],
  ['POST', 'o365/jobs', job(of.organization, of.repository)],
  ['GET', 'o365/jobs'],
  ['GET', `o365/jobs/${of.job}`],
  [
    'PUT',
    `o365/jobs/${of.job}`,
    { ...job(of.organization, of.repository, { name: 'Changed' }), organizationId: undefined },
  ],
  ['DELETE', `o365/jobs/${of.job}`],
  ['POST', `o365/jobs/${of.job}/start`, {}],
  ['POST', `o365/jobs/${of.job}/stop`, {}],
  ['POST', `o365/jobs/${of.job}/enable`, {}],
  ['POST', `o365/jobs/${of.job}/disable`, {}],
  ['GET', `o365/jobs/${of.job}/detail/latest`],
  ['GET', `o365/jobs/${of.job}/detail/${CODE}/logs`],
  ['GET', `o365/jobs/${of.job}/notifications`],
  [
    'POST',
    `o365/jobs/${of.job}/notifications`,
    { enabled: false, notifyOnFailure: false, userIds: [], externalAddresses: [] },
  ],
];

/** Deleting comes last. */
const order = ([method, path]: Request): number =>
  method === 'DELETE' ? (path.includes('/jobs/') ? 1 : path.includes('/repositories/') ? 2 : 3) : 0;

/** Section 6 of the specification: one role has the abilities of the cloud suite's setup. */
const MAY: Readonly<Record<Role, boolean>> = {
  'admin': false,
  'read-only': false,
  'operator': false,
  'super-admin': false,
  'o365_admin': true,
  'sub-sp': false,
};

const WORDS = /canary/i;
const start = async (who: Asker): Promise<Bootstrap> =>
  (await who<Bootstrap>('GET', 'sync/bootstrap')).body.data;

anyDatabase((kind, open) => {
  let suite: Suite;
  let theirs: Made;
  beforeAll(async () => {
    suite = await aSuite(await open());
    const root = await suite.office.as('root', ['o365_admin']);
    theirs = await makeAll(root, 2, 'Canary');
    suite.recording.directory = randomUUID();
    await makeAll(root, 1, 'Calloway');
  });

  test(`SUITE-7, G30: of all roles, only o365_admin can make these calls (${kind})`, async () => {
    for (const [role, may] of Object.entries(MAY) as [Role, boolean][]) {
      const who = await suite.office.as(`role-${role}`, [role]);
      const statuses: number[] = [];
      if (may) continue;
      for (const [method, path, body] of requests(theirs))
        statuses.push((await who(method, path, body)).status);
      expect([role, new Set(statuses)]).toEqual([role, new Set([403])]);
    }
  });

  test(`SUITE-7, SYNC-6: devices hold the organizations, repositories and jobs that their users may read (${kind})`, async () => {
    for (const [role, may] of Object.entries(MAY) as [Role, boolean][]) {
      const who = await suite.office.as(`device-${role}`, [role]);
      const { organizations, backupRepositories, backupJobs, backupProxies } = await start(who);
      const count = may ? 2 : 0;
      expect([
        role,
        organizations.length,
        backupRepositories.length,
        backupJobs.length,
        backupProxies.length,
      ]).toEqual([role, count, count, count, may ? 1 : 0]);
    }
    const one = await suite.office.as('device-of-one', ['o365_admin'], [1]);
    const held = await start(one);
    expect([
      held.organizations.map(({ company }) => company),
      held.backupRepositories.map(({ company }) => company),
      held.backupJobs.map(({ company }) => company),
      held.backupProxies,
    ]).toEqual([[1], [1], [1], []]);
    const { text } = await one('GET', `sync/events?protocol=2&after=0&epoch=${held.epoch}`);
    expect(text).toContain('backupjob.created@1');
    expect(text).not.toMatch(WORDS);
    expect(text).not.toContain('backupproxy.joined@1');
  });

  test(`SUITE-7, G30: a user of another company, or of another provider, finds none of it, by id, name, count or error (${kind})`, async () => {
    const strangers: readonly (readonly [string, Asker])[] = [
      ['company', await suite.office.as('one', ['o365_admin'], [1])],
      ['provider', await (await aSuite(await open())).office.as('olga', ['o365_admin'])],
    ];
    for (const [who, stranger] of strangers) {
      suite.recording.calls.length = 0;
      for (const [method, path, body] of requests(theirs)) {
        const answer = await stranger(method, path, body);
        expect([who, path, WORDS.test(answer.text)]).toEqual([who, path, false]);
        const named = [theirs.organization, theirs.repository, theirs.job];
        if (named.some((id) => path.includes(`/${id}`)))
          expect([who, method, path, answer.status]).toEqual([who, method, path, 404]);
      }
      // The engine was never called about them.
      expect(
        suite.recording.calls.filter(({ organization: id }) => id === theirs.organization),
      ).toEqual([]);
    }
    const one = strangers[0]?.[1];
    expect((await one?.<{ count: number }>('GET', 'o365/jobs'))?.body.data.count).toBe(1);
    expect((await one?.('GET', 'o365/proxies'))?.body.data).toMatchObject({
      rows: [{ name: 'Built-in', hostName: null, version: null }],
    });
    const root = await suite.office.as('root-after', ['o365_admin']);
    expect((await start(root)).organizations).toHaveLength(2);
  });

  test(`SUITE-7: a user with the role can make every one of these calls (${kind})`, async () => {
    const admin = await suite.office.as('maker', ['o365_admin']);
    suite.recording.directory = randomUUID();
    const own = await makeAll(admin, 2, 'Own');
    suite.recording.directory = randomUUID();
    for (const request of requests(own).toSorted((a, b) => order(a) - order(b))) {
      const [method, path, body] = request;
      const { status, text } = await admin(method, path, body);
      // A job that another call created uses the repository; importing from this address is refused.
      const expected =
        path.endsWith('from-api') || (method === 'DELETE' && path.includes('/repositories/'))
          ? 409
          : 200;
      expect([method, path, status, text]).toEqual([method, path, expected, text]);
    }
  });
});
