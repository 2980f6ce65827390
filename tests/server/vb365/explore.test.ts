import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ExplorerId } from '#contract/ids.ts';
import { allJobs } from '#server/jobs.ts';
import { checkTraffic } from '#tests/fakes/vb365/checked.ts';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
  type Vb365Object,
} from '#tests/fakes/vb365/restore-state.ts';
import { startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import { addJob, addOrganization } from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { anyStore } from '../db/databases.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { getTicks } from '../jobs/ticks.ts';
import { HERE, json, type Query } from '../outbound/listen.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';

const MINUTE = 60_000;
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
);

interface Page {
  readonly rows: readonly {
    readonly id: string;
    readonly name: string;
    readonly people: string;
    readonly attachments: number;
  }[];
  readonly next: string | null;
  readonly count: number | null;
}

const isListed = ({ path }: Query): boolean => /mailboxes/i.test(path);

describe.each(['v8', 'v7'] as const)('%s', (version) => {
  let fixture: Fixture;
  let office: Office;
  let admin: Asker;
  let server: Vb365Server;
  let problems: readonly string[];
  let organizationId = '';
  let mailbox: Vb365Object;

  beforeAll(async () => {
    fixture = await makeFixture(HERE, await anyStore());
    server = await startVb365(version, () => fixture.context.clock.now());
    problems = checkTraffic(server);
    const { content } = server;
    const found = addOrganization(content, 'Calloway Freight');
    addJob(content, found, 'Nightly');
    const now = fixture.context.clock.now();
    mailbox = addObject(content, found, 'mailboxes', 'Ann Chovey');
    const inbox = addFolder(mailbox, 'Inbox');
    addFolder(mailbox, 'Projects', inbox);
    for (let n = 0; n < 60; n += 1) addMail(mailbox, inbox, `Mail ${n}`, now - n * MINUTE - MINUTE);
    addFile(
      addObject(content, found, 'onedrives', 'Ann Chovey'),
      null,
      'a.bin',
      now - MINUTE,
      Buffer.alloc(100_000, 7),
    );
    addPoint(content, found, now - 90 * MINUTE, { isOneDrive: false });
    addPoint(content, found, now);
    addPoint(content, addOrganization(content, 'Another'), now);
    office = await anOffice(fixture);
    admin = await office.as('admin', ['o365_admin']);
    const imported = await admin<{ rows: { id: string }[] }>(
      'POST',
      'o365/organizations/from-api',
      { apiUrl: server.outside.url, username: USER.name, password: USER.secret, companyId: 1 },
    );
    organizationId = imported.body.data.rows[0]?.id ?? '';
    const alone = { ...fixture.context.store, tenants: () => Promise.resolve([office.tenant]) };
    const jobs = getTicks(
      { ...fixture.context, store: alone },
      { 'vb365-server': allJobs(fixture.context)['vb365-server'] },
    );
    await jobs.tick();
    await jobs.stop();
  });
  afterAll(() => server.outside.stop());

  const openSession = async (sessionType = 'Vex', more: object = {}): Promise<string> => {
    const { status, text, body } = await admin<{ id: string }>(
      'POST',
      'o365/restore/restoresessions',
      { organizationId, datetime: fixture.context.clock.now(), sessionType, ...more },
    );
    expect([status, text]).toEqual([200, text]);
    return `o365/restore/restoresessions/${body.data.id}`;
  };
  const read = async (path: string): Promise<Page> => {
    const { status, text, body } = await admin<Page>('GET', path);
    expect([path, status, text]).toEqual([path, 200, text]);
    return body.data;
  };

  const listTimes = async (more: string): Promise<number[]> => {
    const { body } = await admin<{ rows: { backupTime: number }[] }>(
      'GET',
      `o365/restore/restorepoints?organizationId=${organizationId}${more}`,
    );
    return body.data.rows.map(({ backupTime }) => backupTime);
  };

  test('VB365-14: points are those of the organization and the service, the newest first', async () => {
    const all = await listTimes('');
    expect(all).toHaveLength(2);
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    expect(await listTimes('&sessionType=Veod')).toEqual(all.slice(0, 1));
    const [newest = 0, oldest = 0] = all;
    expect(await listTimes(`&to=${new Date(newest - 1).toISOString()}`)).toEqual([oldest]);
    const older = await openSession('Vex', { datetime: newest - 1 });
    expect(server.content.restoreSessions.at(-1)).toMatchObject({ type: 'Vex', dateTime: oldest });
    const folder = await findInbox(older);
    expect((await read(folder)).rows.length).toBeLessThan(60);
  });

  const findInbox = async (session: string): Promise<string> => {
    const [box] = (await read(`${session}/mailboxes`)).rows;
    const base = `${session}/mailboxes/${box?.id ?? ''}`;
    const [inbox] = (await read(`${base}/folders`)).rows;
    expect(inbox?.name).toBe('Inbox');
    expect((await read(`${base}/folders?parentId=${inbox?.id ?? ''}`)).rows).toMatchObject([
      { name: 'Projects' },
    ]);
    return `${base}/items?parentId=${inbox?.id ?? ''}`;
  };

  test('VB365-2, VB365-14: a folder is read a page at a time; the count is known with the last page', async () => {
    const inbox = await findInbox(await openSession());
    const counts: (number | null)[] = [];
    const names: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page: Page = await read(`${inbox}&limit=25${next && `&cursor=${next}`}`);
      names.push(...page.rows.map(({ name }) => name));
      counts.push(page.count);
      ({ next } = page);
    }
    expect(counts).toEqual([null, null, 60]);
    expect(new Set(names).size).toBe(60);
    expect((await read(`${inbox}&limit=1`)).rows[0]).toMatchObject({
      people: 'Bea Sender <bea@example.net>, Ann Chovey <ann.chovey@example.com>',
      attachments: 0,
    });
    const wrong = await admin('GET', `${inbox}&cursor=nonsense`);
    expect(wrong.status).toBe(400);
  });

  test.each([true, false])(
    'VB365-15: a mail is read from the MSG file that the server gives, whether or not it says its size (%s)',
    async (namesSizes) => {
      server.content.namesSizes = namesSizes;
      const [folder] = mailbox.folders;
      if (!folder) throw new Error('there is no folder');
      const at = fixture.context.clock.now() - MINUTE;
      const file = {
        kind: 'file',
        name: 'plan.pdf',
        bytes: Buffer.alloc(5_000, 1),
        mediaType: 'application/pdf',
        contentId: null,
        isInline: false,
      } as const;
      addMail(mailbox, folder, `Übersicht ${String(namesSizes)}`, at, {
        html: '<p>Hello <b>Ann</b></p><script>alert(1)</script><img src="https://example.net/x.png"><img src="cid:pic">',
        attachments: [
          file,
          {
            ...file,
            name: 'pic.png',
            bytes: PICTURE,
            mediaType: 'image/png',
            contentId: 'pic',
            isInline: true,
          },
        ],
      });
      const session = await openSession();
      const inbox = await findInbox(session);
      const items = await read(inbox);
      const id = items.rows.find(({ name }) => name.endsWith(String(namesSizes)))?.id ?? '';
      const preview = await admin<{ url: string }>(
        'POST',
        `${inbox.slice(0, inbox.indexOf('?'))}/${id}/preview`,
        {},
      );
      expect(preview.body.data).toMatchObject({
        subject: `Übersicht ${String(namesSizes)}`,
        from: { name: 'Bea Sender', address: 'bea@example.net' },
        to: [{ name: 'Ann Chovey', address: 'ann.chovey@example.com' }],
        sentAt: at,
        attachments: [{ name: 'plan.pdf', bytes: 5_000 }],
        heldPictures: 1,
      });
      const shown = await fixture.context.store.tenant(office.tenant, () =>
        Promise.resolve(fixture.context.mailPreviews.bodies.get(preview.body.data.url.slice(9))),
      );
      expect(shown?.content).toContain('Hello <b>Ann</b>');
      expect(shown?.content).not.toContain('alert');
      expect(shown?.content).toContain(`data:image/png;base64,${PICTURE.toString('base64')}`);
    },
  );

  test('VB365-15: a file is read as it is, in any range; one that the server cuts is an error', async () => {
    const session = await openSession('Veod');
    const [drive] = (await read(`${session}/onedrives`)).rows;
    const [file] = (await read(`${session}/onedrives/${drive?.id ?? ''}/folders/documents`)).rows;
    const explorer = session.split('/').at(-1) ?? '';
    const { user } = await findUser();
    const scope = { tenant: office.tenant, organization: organizationId, user };
    const input = { explorer, node: file?.id ?? '', as: 'raw' } as const;
    const engine = fixture.context.vb365Engine;
    const collect = async (more: object): Promise<Buffer> => {
      const content = await engine.readContent(scope, { ...input, ...more });
      if (!content.ok) throw new Error(content.error.message);
      expect(content.value.bytes).toBe(100_000);
      const pieces: Uint8Array[] = [];
      for await (const piece of content.value.stream) pieces.push(piece);
      return Buffer.concat(pieces);
    };
    for (const namesSizes of [true, false]) {
      server.content.namesSizes = namesSizes;
      expect((await collect({})).equals(Buffer.alloc(100_000, 7))).toBe(true);
      expect(await collect({ from: 99_990 })).toHaveLength(10);
      expect(await collect({ from: 5, to: 25 })).toHaveLength(20);
    }
    const real = server.answer.bind(server);
    server.answer = async (request) => {
      const answer = await real(request);
      return Buffer.isBuffer(answer.body) ? { ...answer, body: answer.body.subarray(1) } : answer;
    };
    await expect(collect({})).rejects.toThrow('The server sent 99,999 bytes');
    server.answer = real;
  });

  const findUser = async (): Promise<{ user: string }> => {
    const row = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('vb365_explorer')
        .select('user_id')
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow(),
    );
    return { user: row.user_id };
  };

  test('VB365-16: a session that ended on the server is named, and one that nobody uses is stopped there', async () => {
    const { content } = server;
    const inbox = await findInbox(await openSession());
    const session = content.restoreSessions.at(-1);
    if (session) session.endTime = fixture.context.clock.now();
    const ended = await admin('GET', inbox);
    expect([ended.status, ended.text]).toEqual([
      409,
      expect.stringContaining('The server has ended the restore session.'),
    ]);
    // It stays ended.
    expect((await admin('GET', inbox)).status).toBe(409);

    // A server that only fails has not ended the session.
    const other = await findInbox(await openSession());
    server.failure = (_, path) =>
      path.includes('/items') ? json({ message: 'The repository is busy.' }, 500) : null;
    const failing = await admin('GET', other);
    expect(failing.text).toContain('The repository is busy');
    server.failure = () => null;
    expect((await admin('GET', other)).status).toBe(200);

    const open = content.restoreSessions.filter(({ endTime }) => endTime === null);
    expect(open.length).toBeGreaterThan(1);
    fixture.pass(61 * MINUTE);
    admin = await office.signIn('admin');
    await openSession();
    expect(open.every(({ endTime }) => endTime !== null)).toBe(true);
    expect(content.restoreSessions.filter(({ endTime }) => endTime === null)).toHaveLength(1);
  });

  test('VB365-54: who opens the same point again has one session on the server, and loses none that is in use', async () => {
    const { content } = server;
    const from = content.restoreSessions.length;
    const running = () =>
      content.restoreSessions.slice(from).map(({ endTime }) => endTime === null);
    const first = await openSession();
    const files = await openSession('Veod');
    // A second window of the same page.
    fixture.pass(MINUTE);
    const second = await openSession();
    expect((await admin('GET', `${first}/mailboxes`)).status).toBe(200);
    expect(running()).toEqual([true, true, true]);
    fixture.pass(5 * MINUTE);
    await read(`${second}/mailboxes`);
    await openSession();
    // The first was left; the other was just used, and a session of OneDrives is another matter.
    expect(running()).toEqual([false, true, true, true]);
    expect((await admin('GET', `${first}/mailboxes`)).status).toBe(409);
    expect((await admin('GET', `${second}/mailboxes`)).status).toBe(200);
    expect((await admin('GET', `${files}/onedrives`)).status).toBe(200);
  });

  /** Does something once, while the server answers. */
  const during = (isWanted: (request: Query) => boolean, work: () => Promise<unknown>): void => {
    const answer = server.answer.bind(server);
    server.answer = async (request) => {
      const given = await answer(request);
      if (!isWanted(request)) return given;
      server.answer = answer;
      await work();
      return given;
    };
  };

  test('VB365-54: a session that is used while another is stopped goes on', async () => {
    const { content } = server;
    admin = await office.as('admin-2', ['o365_admin']);
    const from = content.restoreSessions.length;
    const paths = [await openSession('Veod'), await openSession('Veod')];
    fixture.pass(5 * MINUTE);
    const keys = content.restoreSessions.slice(from).map(({ id }) => id);
    during(
      ({ path }) => /\/stop$/i.test(path),
      async () => {
        const left = content.restoreSessions
          .slice(from)
          .findIndex(({ endTime }) => endTime === null);
        expect(keys).toHaveLength(2);
        await read(`${paths[left] ?? ''}/onedrives`);
      },
    );
    await openSession('Veod');
    const running = content.restoreSessions.slice(from).map(({ endTime }) => endTime === null);
    expect(running.filter(Boolean)).toHaveLength(2);
    expect(running[2]).toBe(true);
  });

  test('VB365-54: a session is in use until a long reading ends', async () => {
    const { content } = server;
    admin = await office.as('admin-3', ['o365_admin']);
    const from = content.restoreSessions.length;
    const first = await openSession();
    during(isListed, () => Promise.resolve(fixture.pass(5 * MINUTE)));
    await read(`${first}/mailboxes`);
    await openSession();
    const running = content.restoreSessions.slice(from).map(({ endTime }) => endTime === null);
    expect(running).toEqual([true, true]);
  });

  test('VB365-54: a session is in use while a long reading lasts', async () => {
    const { content } = server;
    admin = await office.as('admin-4', ['o365_admin']);
    const from = content.restoreSessions.length;
    const { clock, store } = fixture.context;
    const first = await openSession();
    const id = first.split('/').at(-1) as ExplorerId;
    const getUse = () =>
      store.tenant(office.tenant, async ({ sql }) => {
        const rows = await sql
          .selectFrom('vb365_explorer')
          .select('used_at')
          .where('tenant_id', '=', office.tenant)
          .where('id', '=', id)
          .execute();
        return rows[0]?.used_at;
      });
    const timers = vi.spyOn(clock, 'after');
    during(isListed, async () => {
      fixture.pass(5 * MINUTE);
      timers.mock.calls.findLast(([ms]) => ms === MINUTE)?.[1]();
      await expect.poll(getUse).toBe(clock.now());
      await openSession();
    });
    await read(`${first}/mailboxes`);
    timers.mockRestore();
    const running = content.restoreSessions.slice(from).map(({ endTime }) => endTime === null);
    expect(running).toEqual([true, true]);
  });

  test('VB365-12: what can’t be done in a session of the server is refused with a sentence', async () => {
    const session = await openSession();
    const inbox = await findInbox(session);
    const [mail] = (await read(inbox)).rows;
    const offered = 'does not offer this here';
    for (const [path, reason] of [
      [`o365/restore/search?organizationId=${organizationId}&search=mail`, offered],
      [`${session}/place?itemId=${mail?.id ?? ''}`, offered],
      [`${session}/versions?itemId=${mail?.id ?? ''}`, 'has versions of files and rows only'],
    ] as const) {
      const { status, text } = await admin('GET', path);
      expect([path, status, text]).toEqual([path, 409, expect.stringContaining(reason)]);
    }
    expect(problems).toEqual([]);
  });
});
