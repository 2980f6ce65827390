import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { EngineScope, ItemResult, RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { checkEntity } from '../../../fakes/graph-schema.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { clientToken } from '../../demo-tenant/fixtures.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { seeded } from '../graph/fixtures.ts';
import { connectWithSecret, createBackup } from '../organization.ts';
import { getValue } from '../restic/fixtures.ts';
import { NO_FLAGS } from './no-flags.ts';

const ROLES = ['Mail.Read', 'Files.ReadWrite.All', 'User.Read.All', 'Sites.Read.All'];
const folder = mkdtempSync(join(tmpdir(), 'daybook-sharing-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const DAY = 86_400_000;

const at = (path: string): string => `/root:/${path.split('/').map(encodeURIComponent).join('/')}:`;
const count = (n: number, one: string, many: string): string =>
  n === 1 ? `1 ${one}` : `${n} ${many}`;

/** What the test gave access by. `who`: a person, or the scope of a link. */
interface Access {
  readonly path: string;
  readonly who: string;
  readonly what: string;
  readonly expiresAt: number | null;
  readonly hasPassword: boolean;
}
/** A permission as Graph lists it. */
interface Listed {
  readonly id: string;
  readonly roles: string[];
  readonly inheritedFrom?: object;
  readonly expirationDateTime?: string;
  readonly hasPassword?: boolean;
  readonly link?: { type: string; scope: string; webUrl: string; preventsDownload?: boolean };
  readonly grantedToV2?: { user?: { id: string } };
}
const toLine = ({ path, who, what, expiresAt }: Access): string =>
  [path, who, what, expiresAt ?? 'forever'].join(' ');

async function anOffice(seed: number) {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(ONE));
  const { context } = fixture;
  const { store, clock } = context;
  const tenant = await aTenant(store);
  const office = createDemoTenant({
    file: null,
    seed,
    now: () => clock.now(),
    size: { people: 6, minMails: 1, maxMails: 1, minFiles: 0, maxFiles: 1, maxFileBytes: 2_000 },
  });
  onTestFinished(() => office.close());
  // Of the requests that write, the n-th gets no response: it is lost before or after the work.
  const lost = { at: -1, isDone: false, writes: 0 };
  /** Answers batches of requests about permissions as if the application might not read them. */
  const hidden = { isOn: false, count: 0 };
  const hide = async (request: Request): Promise<Response | null> => {
    if (!hidden.isOn || !request.url.endsWith('/$batch')) return null;
    const { requests } = (await request.clone().json()) as {
      readonly requests: readonly { readonly id: string; readonly url: string }[];
    };
    if (!requests.every(({ url }) => url.endsWith('/permissions'))) return null;
    hidden.count += requests.length;
    const error = { code: 'accessDenied', message: 'Access denied' };
    return Response.json({
      responses: requests.map(({ id }) => ({ id, status: 403, headers: {}, body: { error } })),
    });
  };
  /** Bodies of requests that give people access. */
  const invitations: string[] = [];
  context.cloud.connectTo(async (request) => {
    const denied = await hide(request);
    if (denied !== null) return denied;
    if (request.url.endsWith('/invite')) invitations.push(await request.clone().text());
    const isWrite =
      !['GET', 'HEAD'].includes(request.method) &&
      !request.url.includes('/$batch') &&
      new URL(request.url).hostname.startsWith('graph.');
    if (!isWrite || lost.writes++ !== lost.at) return office.fetch(request);
    if (lost.isDone) await office.fetch(request);
    throw new Error('The response is lost.');
  });
  const scope: EngineScope = { tenant, organization: randomUUID(), user: randomUUID() };
  const engine = context.embeddedEngine;
  const application = office.admin.registerApplication('Backup', ROLES);
  getValue(await engine.organizations.connect(scope, connectWithSecret(office, application)));
  const people = office.admin
    .listUsers()
    .filter(({ mailbox, hasDrive }) => mailbox === 'user' && hasDrive);
  const [owner] = people;
  if (owner === undefined) throw new Error('Nobody has a drive.');
  const drive = `/users/${owner.id}/drive`;

  const call = async <T = unknown>(method: string, path: string, body?: unknown): Promise<T> => {
    const token = await clientToken(office, application);
    const response = await office.fetch(
      new Request(`https://graph.microsoft.com/v1.0${drive}${path}`, {
        method,
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && {
          body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
        }),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? null : JSON.parse(text)) as T;
  };
  /** The accesses of paths that are there, without those that are inherited. */
  const listAccess = async (paths: readonly string[]): Promise<string[]> => {
    const lines: string[] = [];
    for (const path of paths) {
      const { value } = await call<{ value: Listed[] }>('GET', `${at(path)}/permissions`);
      for (const one of value) {
        expect(checkEntity('permission', one)).toEqual([]);
        if (one.inheritedFrom !== undefined) continue;
        const { link, grantedToV2, roles, expirationDateTime } = one;
        lines.push(
          toLine({
            path,
            who: link?.scope ?? grantedToV2?.user?.id ?? '',
            what: link ? (link.preventsDownload ? 'blocksDownload' : link.type) : roles.join(),
            expiresAt: expirationDateTime === undefined ? null : Date.parse(expirationDateTime),
            hasPassword: false,
          }),
        );
      }
    }
    return lines.sort();
  };
  const linkAddresses = async (path: string): Promise<string[]> =>
    (await call<{ value: Listed[] }>('GET', `${at(path)}/permissions`)).value.flatMap(({ link }) =>
      link ? [link.webUrl] : [],
    );

  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  const { job } = await createBackup(context, scope, {
    type: 'Periodically',
    periodicallyEvery: 'Hours12',
  });
  const backUp = async (): Promise<void> => {
    getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
    await runner.tick();
  };
  const ended = async (id: string): Promise<EngineTask> => {
    for (let turns = 0; turns < 20; turns++) {
      await runner.tick();
      const now = getValue(await engine.getTask(scope, { task: id }));
      if (now.state === 'done') return now;
      fixture.pass(60_000);
    }
    throw new Error('The restore does not end.');
  };
  const restore = async (over: Partial<RestoreInput> = {}): Promise<EngineTask> => {
    const { id: explorer } = getValue(
      await engine.openExplorer(scope, {
        workload: 'onedrive',
        job: null,
        at: clock.now(),
        showDeleted: false,
      }),
    );
    const list = getValue(
      await engine.listChildren(scope, {
        explorer,
        parent: null,
        only: 'all',
        text: null,
        sort: 'name',
        descending: false,
        cursor: null,
        limit: 50,
      }),
    );
    const node = list.rows.find(({ name }) => name === owner.name);
    if (node === undefined) throw new Error('no such drive');
    const task = getValue(
      await engine.restore(scope, {
        explorer,
        nodes: [node.id],
        target: { kind: 'original' },
        select: 'missing',
        onConflict: 'skip',
        versions: 'last',
        flags: { ...NO_FLAGS, permissions: true },
        dryRun: false,
        reason: null,
        ...over,
      }),
    );
    return ended(task);
  };
  const listResults = async (task: EngineTask): Promise<readonly ItemResult[]> =>
    getValue(
      await engine.listResults(scope, { task: task.id, outcome: null, cursor: null, limit: 500 }),
    ).rows;
  const undo = async (task: EngineTask): Promise<EngineTask> =>
    ended(getValue(await engine.undo(scope, { task: task.id })));
  return {
    fixture,
    office,
    clock,
    people,
    call,
    listAccess,
    linkAddresses,
    lost,
    invitations,
    hidden,
    backUp,
    restore,
    listResults,
    undo,
  };
}
type Office = Awaited<ReturnType<typeof anOffice>>;

const PATHS = [
  'A',
  'A/B',
  'A/one.txt',
  'A/B/two.txt',
  'A/B/three.txt',
  'C',
  'C/four.txt',
  'five.txt',
];
const isFile = (path: string): boolean => path.endsWith('.txt');
const LINKS = ['view', 'edit', 'blocksDownload', 'review'] as const;

/** Makes folders and files, and shares them by chance. Returns what it gave. */
async function fill(
  office: Office,
  seed: number,
  paths: readonly string[] = PATHS,
): Promise<readonly Access[]> {
  const { call, people, clock } = office;
  const random = seeded(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const given: Access[] = [];
  for (const path of paths) {
    const up = path.split('/').slice(0, -1).join('/');
    const name = path.split('/').at(-1);
    if (isFile(path))
      await call('PUT', `${at(path)}/content`, new TextEncoder().encode(`content of ${path}`));
    else await call('POST', `${up === '' ? '/root' : at(up)}/children`, { name, folder: {} });
    const others = people.slice(1).filter(() => random() < 0.4);
    for (const { id: who } of others) {
      const what = pick(['read', 'write']);
      const expiresAt = random() < 0.3 ? clock.now() + pick([1, 30]) * DAY : null;
      await call('POST', `${at(path)}/invite`, {
        recipients: [{ objectId: who }],
        roles: [what],
        sendInvitation: false,
        ...(expiresAt !== null && { expirationDateTime: new Date(expiresAt).toISOString() }),
      });
      given.push({ path, who, what, expiresAt, hasPassword: false });
    }
    for (const what of LINKS.filter(() => random() < 0.25)) {
      const who = pick(['anonymous', 'organization']);
      const expiresAt = random() < 0.3 ? clock.now() + pick([1, 30]) * DAY : null;
      const hasPassword = random() < 0.2;
      await call('POST', `${at(path)}/createLink`, {
        type: what,
        scope: who,
        ...(hasPassword && { password: 'secret' }),
        ...(expiresAt !== null && { expirationDateTime: new Date(expiresAt).toISOString() }),
      });
      given.push({ path, who, what, expiresAt, hasPassword });
    }
  }
  return given;
}
/** Removes everything at the top. */
async function empty({ call }: Office): Promise<void> {
  for (const path of ['A', 'C', 'five.txt']) await call('DELETE', at(path).slice(0, -1));
}

for (const seed of [3, 29])
  test(`RES-6, ENG-71: files and folders come back shared with whom they were, and what can't be is said before and afterwards (seed ${seed})`, async () => {
    const office = await anOffice(seed);
    const given = await fill(office, seed);
    expect(await office.listAccess(PATHS)).toEqual(given.map(toLine).sort());
    const former = new Map<string, string[]>();
    for (const path of PATHS) former.set(path, await office.linkAddresses(path));
    await office.backUp();
    await empty(office);
    const [, left] = office.people;
    office.office.admin.removeUser(left?.id ?? '');
    office.fixture.pass(2 * DAY);

    const now = office.clock.now();
    const canCome = ({ who, expiresAt, hasPassword }: Access): boolean =>
      who !== left?.id && !hasPassword && (expiresAt === null || expiresAt > now);
    const expected = given.filter(canCome).map(toLine).sort();
    const lacking = given.filter((one) => !canCome(one));

    const silent = await office.restore({ dryRun: true, flags: NO_FLAGS });
    for (const { name, message } of await office.listResults(silent))
      if (given.some(({ path }) => path.split('/').at(-1) === name))
        expect([name, message]).toEqual([name, "Will be created. Its sharing won't be restored."]);
    const dry = await office.restore({ dryRun: true });
    for (const { name, message } of await office.listResults(dry)) {
      if (!PATHS.some((path) => path.split('/').at(-1) === name)) continue;
      const own = given.filter(({ path }) => path.split('/').at(-1) === name);
      // That somebody has left is only found when they get access.
      const early = own.filter(
        ({ hasPassword, expiresAt }) => !hasPassword && (expiresAt === null || expiresAt > now),
      );
      const people = early.filter(({ who }) => who.includes('-')).length;
      const links = early.length - people;
      const sentences = [
        'Will be created.',
        ...(people > 0 ? [`${count(people, 'person gets', 'people get')} access again.`] : []),
        ...(links > 0 ? [`${count(links, 'link gets', 'links get')} a new address.`] : []),
      ].join(' ');
      expect([name, message?.split(' Not shared again')[0]]).toEqual([name, sentences]);
      expect([name, message?.includes('Not shared again')]).toEqual([
        name,
        own.length > early.length,
      ]);
    }
    for (const path of ['A', 'A/B', 'C'])
      expect([path, dry.message?.includes(`${path}: `) ?? false]).toEqual([
        path,
        given.some((one) => one.path === path),
      ]);

    const done = await office.restore();
    expect(await office.listAccess(PATHS)).toEqual(expected);
    // An address can be another person's by now.
    expect(office.invitations.length).toBeGreaterThan(0);
    expect(office.invitations.filter((body) => body.includes('"email"'))).toEqual([]);
    expect([done.counts.failed, done.result]).toEqual([
      0,
      lacking.length > 0 ? 'warning' : 'success',
    ]);
    for (const path of PATHS)
      for (const address of await office.linkAddresses(path))
        expect(former.get(path)).not.toContain(address);
    const messages = new Map(
      (await office.listResults(done)).map(({ name, message }) => [name, message ?? '']),
    );
    for (const { path, who, hasPassword, expiresAt } of lacking) {
      const text = isFile(path) ? (messages.get(path.split('/').at(-1) ?? '') ?? '') : done.message;
      const isExpired = expiresAt !== null && expiresAt <= now;
      expect([path, text]).toEqual([
        path,
        expect.stringContaining(
          isExpired ? 'has expired' : hasPassword ? 'password is unknown' : 'no longer exists',
        ),
      ]);
      if (!hasPassword && !isExpired) expect(text).toContain(left?.name ?? who);
    }

    const again = await office.restore();
    expect([again.counts.restored, await office.listAccess(PATHS)]).toEqual([0, expected]);

    // Somebody adds a file to a folder that came back: it stays, but is shared with nobody any more.
    await office.call('PUT', `${at('A/new.txt')}/content`, new Uint8Array([1]));
    const undone = await office.undo(done);
    expect([undone.counts.failed, undone.counts.skipped]).toEqual([0, 0]);
    expect(await office.listAccess(['A'])).toEqual([]);
    await expect(office.listAccess(['C'])).rejects.toThrow('404');
  });

test('RES-6, ENG-71: a folder whose sharing the backup could not read is not restored as if it had none', async () => {
  const office = await anOffice(7);
  const { call, people } = office;
  await call('POST', '/root/children', { name: 'A', folder: {} });
  await call('PUT', `${at('A/one.txt')}/content`, new Uint8Array([1]));
  await call('POST', `${at('A')}/invite`, {
    recipients: [{ objectId: people[1]?.id }],
    roles: ['read'],
    sendInvitation: false,
  });
  office.hidden.isOn = true;
  await office.backUp();
  office.hidden.isOn = false;
  expect(office.hidden.count).toBeGreaterThan(0);
  await call('DELETE', at('A').slice(0, -1));
  for (const dryRun of [true, false]) {
    const done = await office.restore({ dryRun });
    expect(done.message).toContain('people and links that the backup could not read');
  }
});

test('RES-6, RES-5: wherever a request or its response is lost, everyone gets access once', async () => {
  const office = await anOffice(5);
  const paths = ['A', 'A/one.txt', 'C', 'C/four.txt', 'five.txt'];
  const given = await fill(office, 5, paths);
  expect(given.length).toBeGreaterThan(5);
  const expected = given
    .filter(({ hasPassword }) => !hasPassword)
    .map(toLine)
    .sort();
  await office.backUp();
  for (let n = 0, isDone = false; ;) {
    await empty(office);
    Object.assign(office.lost, { at: n, isDone, writes: 0 });
    const done = await office.restore();
    expect([n, isDone, done.counts.failed]).toEqual([n, isDone, 0]);
    expect([n, isDone, await office.listAccess(paths)]).toEqual([n, isDone, expected]);
    const isOver = office.lost.writes <= n;
    office.lost.at = -1;
    if (isOver && isDone) break;
    [n, isDone] = isDone ? [n + 1, false] : [n, true];
    expect(n).toBeLessThan(90);
  }
});
