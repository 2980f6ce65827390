import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
  addRow,
} from '#tests/fakes/vb365/restore-state.ts';
import {
  addChannel,
  addPost,
  addTab,
  addTeam,
  addTeamFile,
} from '#tests/fakes/vb365/team-state.ts';
import type { Vb365Client } from '#server/engine/vb365/client.ts';
import type { OpenExplorer } from '#server/engine/vb365/restore/explorers.ts';
import type { KnownNode } from '#server/engine/vb365/restore/nodes.ts';
import { searchBelow } from '#server/engine/vb365/restore/search.ts';
import { allHandlers } from '#server/handlers.ts';
import { listen } from '#server/platform/http/listen.ts';
import { CALL_LIMITS } from '#server/platform/http/serve-call.ts';
import { anyDatabase } from '../db/databases.ts';
import { getApp, login } from '../http/fixtures.ts';
import { type Bench, type Listed, startBench } from './bench.ts';

const MINUTE = 60_000;
/** Less than a search of the server may take. */
const PATIENT = { timeout: 100_000, interval: 50 };
const word = (text: string): string => `search=${encodeURIComponent(text)}`;
const BROKEN = '{"results": 3}';

test('VB365-51: rows that are dropped cost no request each, and every other row is found once', async () => {
  const rows = Array.from({ length: 1_500 }, (_, n) => ({
    id: `row-${n}`,
    name: `Row ${n}`,
    isFolder: n % 5 !== 0,
  }));
  let requests = 0;
  const client = {
    host: 'server.example',
    command: ({ path }: { readonly path: string }) => {
      requests += 1;
      const range = new URLSearchParams(path.split('?')[1]);
      const [offset, limit] = [Number(range.get('offset')), Number(range.get('limit'))];
      return Promise.resolve({ results: rows.slice(offset, offset + limit), limit });
    },
  } as unknown as Vb365Client;
  const explorer = { workload: 'onedrive', key: 'session' } as OpenExplorer;
  const parent = { object_key: 'drive', item_key: '' } as KnownNode;
  const files = rows.filter(({ isFolder }) => !isFolder).map(({ name }) => name);
  for (const limit of [1, 7, 50, 300]) {
    const found: string[] = [];
    let max = 0;
    for (let cursor: string | null = null, isMore = true; isMore;) {
      requests = 0;
      const input = { only: 'items', cursor, limit, text: 'row', offset: 0 } as const;
      const listed = await searchBelow(client, explorer, parent, input);
      if (!listed.ok) throw new Error(listed.error.message);
      const { page } = listed.value;
      found.push(...page.rows.map(({ name }) => name));
      cursor = page.next;
      isMore = cursor !== null;
      if (isMore) expect(page.rows).toHaveLength(limit);
      max = Math.max(max, requests);
    }
    expect([limit, found]).toEqual([limit, files]);
    // Four of five rows are dropped.
    expect(max).toBeLessThanOrEqual(2 + (5 * limit) / 100);
  }
});

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let bench: Bench;

    beforeAll(async () => {
      bench = await startBench(version, await open(), ({ content }, organization, now) => {
        const mailbox = addObject(content, organization, 'mailboxes', 'Ann Chovey');
        const inbox = addFolder(mailbox, 'Inbox');
        const trips = addFolder(mailbox, 'Trips', inbox);
        addMail(mailbox, inbox, 'Offer OR refusal', now - MINUTE);
        addMail(mailbox, inbox, 'Re: Offer', now - 2 * MINUTE);
        addMail(mailbox, trips, 'Offer of a trip', now - 3 * MINUTE);
        addMail(mailbox, inbox, 'Invoice "52" – 100 % Größe', now - 4 * MINUTE);
        addMail(mailbox, inbox, 'Offer of tomorrow', now + 60 * MINUTE);
        for (let n = 1; n <= 7; n += 1) addMail(mailbox, trips, `Ticket ${n}`, now - n * MINUTE);
        addMail(
          addObject(content, organization, 'mailboxes', 'Ben Dover'),
          addFolder(mailbox, 'Other'),
          'Offer of another',
          now - MINUTE,
        );
        const drive = addObject(content, organization, 'onedrives', 'Ann Chovey');
        const plans = addFolder(drive, 'Plans');
        addFile(drive, plans, 'plan a.txt', now - MINUTE, Buffer.from('a'));
        addFile(drive, null, 'plan top.txt', now - MINUTE, Buffer.from('top'));
        const site = addObject(content, organization, 'sites', 'Site');
        const library = addFolder(site, 'Documents', null, 'library');
        const old = addFolder(site, 'Old plan', library);
        addFile(site, old, 'plan b.txt', now - MINUTE, Buffer.from('b'));
        const list = addFolder(site, 'Tasks', null, 'list');
        addRow(site, list, 'plan it', now - MINUTE);
        const team = addTeam(content, organization, 'Flight');
        const general = addChannel(team, 'General');
        const other = addChannel(team, 'Other');
        const folder = addTeamFile(team, general, 'plan folder', null);
        addTeamFile(team, general, 'plan c.txt', Buffer.from('c'), { parentId: folder.id });
        addTeamFile(team, other, 'plan d.txt', Buffer.from('d'));
        addPost(team, general, 'The plan', now - MINUTE);
        addTab(team, general, 'Plan board');
        addPoint(content, organization, now);
      });
    });
    const leaving: (() => Promise<void>)[] = [];
    afterAll(async () => {
      for (const leave of leaving) await leave();
      await bench.stop();
    });

    const names = async (path: string): Promise<string[]> =>
      (await bench.list(path)).map(({ name }) => name).toSorted();
    const find = async (path: string, wanted: string): Promise<string> =>
      (await bench.list(path)).find(({ name }) => name === wanted)?.id ?? '';
    const openMailbox = async (): Promise<string> => {
      const base = `${await bench.openSession('Vex')}/mailboxes`;
      return `${base}/${await find(base, 'Ann Chovey')}`;
    };

    test('VB365-51: a mailbox is searched with its folders, and a folder alone, as of the restore point', async () => {
      const mailbox = await openMailbox();
      expect(await names(`${mailbox}/items?${word('offer')}`)).toEqual([
        'Offer OR refusal',
        'Offer of a trip',
        'Re: Offer',
      ]);
      const inbox = await find(`${mailbox}/folders`, 'Inbox');
      const trips = await find(`${mailbox}/folders?parentId=${inbox}`, 'Trips');
      expect(await names(`${mailbox}/items?parentId=${trips}&${word('offer')}`)).toEqual([
        'Offer of a trip',
      ]);
      // What was found is read, and has the same address as where it is listed.
      const [found] = await bench.list(`${mailbox}/items?${word('trip')}`);
      const listed = await bench.list(`${mailbox}/items?parentId=${trips}`);
      expect(listed.map(({ id }) => id)).toContain(found?.id);
      const preview = await bench.ask<{ subject: string }>(
        `${mailbox}/items/${found?.id ?? ''}/preview`,
        {},
      );
      expect(preview.subject).toBe('Offer of a trip');
    });

    test('VB365-51: words mean themselves: no operator, no field, no quotation mark of the server', async () => {
      const mailbox = await openMailbox();
      const cases: readonly (readonly [string, readonly string[]])[] = [
        ['offer OR', ['Offer OR refusal']],
        ['Re:', ['Re: Offer']],
        ['from:bea', []],
        ['"offer" "trip', ['Offer of a trip']],
        ['100 %', ['Invoice "52" – 100 % Größe']],
        ['größe', ['Invoice "52" – 100 % Größe']],
        ['“invoice”', ['Invoice "52" – 100 % Größe']],
        ['nothing like it', []],
        ['"', []],
      ];
      for (const [text, expected] of cases)
        expect([text, await names(`${mailbox}/items?${word(text)}`)]).toEqual([text, expected]);
    });

    test('VB365-51: what is found is read page by page, each once, also without totals', async () => {
      const mailbox = await openMailbox();
      const rows: Listed[] = [];
      let pages = 0;
      for (let next: string | null = ''; next !== null; pages += 1) {
        const page: { rows: Listed[]; next: string | null } = await bench.ask(
          `${mailbox}/items?${word('ticket')}&limit=3${next && `&cursor=${next}`}`,
        );
        rows.push(...page.rows);
        ({ next } = page);
      }
      expect(rows.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `Ticket ${n}`));
      expect(pages).toBe(3);
      expect(await names(`${mailbox}/items?${word('ticket')}&offset=5`)).toEqual([
        'Ticket 6',
        'Ticket 7',
      ]);
      // Rows that are left out are found by the server first, so there is a limit of them.
      for (const wrong of ['cursor=9-0', 'offset=10001']) {
        const path = `o365/restore/${mailbox}/items?${word('ticket')}&${wrong}`;
        expect([wrong, (await bench.admin('GET', path)).status]).toEqual([wrong, 400]);
      }
    });

    test('VB365-51: OneDrives, sites, libraries, lists and folders are searched for files and rows', async () => {
      const drives = `${await bench.openSession('Veod')}/onedrives`;
      const drive = `${drives}/${await find(drives, 'Ann Chovey')}`;
      expect(await names(`${drive}/folders/documents?${word('plan')}`)).toEqual([
        'plan a.txt',
        'plan top.txt',
      ]);
      const plans = await find(`${drive}/folders`, 'Plans');
      expect(await names(`${drive}/folders/${plans}/documents?${word('plan')}`)).toEqual([
        'plan a.txt',
      ]);
      const sites = `${await bench.openSession('Vesp')}/sites`;
      const site = `${sites}/${await find(sites, 'Site')}`;
      expect(await names(`${site}/documents?${word('plan')}`)).toEqual(['plan b.txt']);
      expect(await names(`${site}/items?${word('plan')}`)).toEqual(['plan it']);
      const parts = await bench.list(`${site}/content`);
      for (const [name, list, expected] of [
        ['Documents', 'documents', 'plan b.txt'],
        ['Tasks', 'items', 'plan it'],
      ]) {
        const id = parts.find((one) => one.name === name)?.id ?? '';
        expect(await names(`${site}/${list ?? ''}?parentId=${id}&${word('plan')}`)).toEqual([
          expected,
        ]);
      }
    });

    test('VB365-51: a team and a channel are searched for posts, files and tabs', async () => {
      const teams = `${await bench.openSession('Vet')}/teams`;
      const team = `${teams}/${await find(teams, 'Flight')}`;
      const search = async (parent: string, more = ''): Promise<string[]> =>
        names(`${team}/items?${parent === '' ? '' : `parentId=${parent}&`}${word('plan')}${more}`);
      const everything = ['Plan board', 'The plan', 'plan c.txt', 'plan d.txt'];
      expect(await search('')).toEqual(everything);
      const general = await find(`${team}/channels`, 'General');
      expect(await search(general)).toEqual(['Plan board', 'The plan', 'plan c.txt']);
      const held = await bench.list(`${team}/folders?parentId=${general}`);
      const [files, tabs] = held.map(({ id }) => id);
      expect(await search(files ?? '')).toEqual(['plan c.txt']);
      expect(await search(tabs ?? '')).toEqual(['Plan board']);
      const folder = await find(`${team}/folders?parentId=${files ?? ''}`, 'plan folder');
      expect(await search(folder)).toEqual(['plan c.txt']);
      const rows: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const page: { rows: Listed[]; next: string | null } = await bench.ask(
          `${team}/items?${word('plan')}&limit=1${next && `&cursor=${next}`}`,
        );
        rows.push(...page.rows.map(({ name }) => name));
        ({ next } = page);
      }
      expect(rows.toSorted()).toEqual(everything);
    });

    test('VB365-51: a search in a session that the server has ended says so, and a broken answer is named', async () => {
      const mailbox = await openMailbox();
      const session = bench.server.content.restoreSessions.at(-1);
      if (session === undefined) throw new Error('no session');
      bench.server.failure = (_request, path) =>
        path.endsWith('/search') ? { status: 200, body: BROKEN } : null;
      const broken = await bench.admin('GET', `o365/restore/${mailbox}/items?${word('offer')}`);
      expect([broken.status, broken.text]).toEqual([
        400,
        expect.stringContaining('unexpected response'),
      ]);
      bench.server.failure = () => null;
      session.endTime = bench.fixture.context.clock.now() - 1;
      const ended = await bench.admin('GET', `o365/restore/${mailbox}/items?${word('offer')}`);
      expect([ended.status, ended.text]).toEqual([
        409,
        expect.stringContaining('has ended the restore session'),
      ]);
    });

    /** Asks over a connection, and leaves it once the Veeam server got the request that matches. */
    async function askAndLeave(
      method: string,
      path: string,
      isAwaited: (path: string) => boolean,
    ): Promise<{ release: () => void; countRequests: () => number }> {
      const { app, host } = bench.office;
      const { context } = bench.fixture;
      const limits = { ...CALL_LIMITS, timeoutMs: 60 * MINUTE };
      const listening = await listen(
        getApp(context, allHandlers(context), { limits }),
        0,
        '127.0.0.1',
      );
      const { token } = (await login(app, host, 'admin')).body.data;
      let requests = 0;
      const pending = Promise.withResolvers<null>();
      const arrived = Promise.withResolvers<null>();
      bench.server.failure = (_, asking) => {
        if (!isAwaited(asking)) return null;
        requests += 1;
        arrived.resolve(null);
        return pending.promise;
      };
      const going = request({
        port: listening.port,
        host: '127.0.0.1',
        method,
        path: `/api/v1/o365/${path}`,
        headers: { host, 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
      });
      going.on('error', () => undefined);
      going.end(method === 'GET' ? undefined : '{}');
      await arrived.promise;
      going.destroy();
      leaving.push(() => listening.stop(0));
      return {
        release: () => {
          pending.resolve(null);
        },
        countRequests: () => requests,
      };
    }

    test('VB365-53: a search stops when its page is left, though the server has not answered', async () => {
      const mailbox = await openMailbox();
      const before = bench.fixture.lines.length;
      const left = await askAndLeave('GET', `restore/${mailbox}/items?${word('offer')}`, (path) =>
        path.endsWith('/search'),
      );
      // The call has ended without an answer of the server: neither's time is up by then.
      await expect
        .poll(
          () => bench.fixture.lines.slice(before).some((line) => line.includes('/items')),
          PATIENT,
        )
        .toBe(true);
      expect(left.countRequests()).toBe(1);
      left.release();
      bench.server.failure = () => null;
      expect(await names(`${mailbox}/items?${word('trip')}`)).toEqual(['Offer of a trip']);
    });

    test('VB365-53: what changes something goes on when its page is left', async () => {
      const { rows } = (await bench.admin<{ rows: { id: string }[] }>('GET', 'o365/jobs')).body
        .data;
      const id = rows[0]?.id ?? '';
      const left = await askAndLeave('POST', `jobs/${id}/start`, (path) => path.endsWith('/start'));
      left.release();
      await expect
        .poll(
          () =>
            bench.fixture.context.store.tenant(bench.office.tenant, async ({ sql, tenant }) =>
              sql
                .selectFrom('backup_session')
                .select('state')
                .where('tenant_id', '=', tenant)
                .execute(),
            ),
          PATIENT,
        )
        .toEqual([{ state: 'running' }]);
      bench.server.failure = () => null;
    });

    test('VB365-51: nobody else searches in a session, each search is recorded, and one over all points is refused', async () => {
      const mailbox = await openMailbox();
      const other = await bench.office.as('reader', ['o365_admin']);
      const foreign = await other('GET', `o365/restore/${mailbox}/items?${word('offer')}`);
      expect(foreign.status).toBe(404);
      await bench.list(`${mailbox}/items?${word('offer')}`);
      const audit = await bench.ask<{ rows: { action: string }[] }>('audit?action=search');
      expect(audit.rows.length).toBeGreaterThan(0);
      const all = await bench.admin(
        'GET',
        `o365/restore/search?organizationId=${bench.organizationId}&search=offer`,
      );
      expect([all.status, all.text]).toEqual([409, expect.stringContaining('not offer this')]);
    });

    test('VB365-51: each request and answer is one that the version publishes', () => {
      // All but the answer that was broken on purpose.
      expect(bench.problems.filter((one) => !one.includes(BROKEN))).toEqual([]);
    });
  });
});
