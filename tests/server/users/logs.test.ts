import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { getSentence, getEventLabel } from '#contract/users/log-labels.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { byClock } from '../db/drafts.ts';
import { ORGANIZATION } from '../engine/session-bench.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aUser, thePeople } from './fixtures.ts';

let fixture: Fixture;
type Log = OutputOf<'listUserLogs'>;
const log = async (who: Asker, query = ''): Promise<Log> =>
  (await who<Log>('GET', `monitoring/reporting/users/logs?pageSize=200${query}`)).body.data;
const kinds = ({ rows }: Log): string[] => rows.map(({ what }) => what);

const endLine = (more: object): string =>
  getSentence({
    what: 'restoretask.ended',
    restore: {
      organization: 'Saltmarsh Marine',
      kind: 'restore',
      result: 'success',
      restored: 0,
      merged: 0,
      skipped: 0,
      failed: 0,
      ...more,
    },
  });

const endTexts = async (who: Asker): Promise<unknown> =>
  (await log(who, '&what=restoretask.ended')).rows.map((line) => [line.words, line.user?.username]);
const endText = (name: string): string =>
  `Restore of ${name} ended: 1,200 restored, 1 replaced, 2 failed`;

test('LOGS-1: each kind of record has a text, one without a text its name', () => {
  expect([
    getEventLabel('user.made'),
    getEventLabel('login-as.began'),
    getEventLabel('device.forgotten'),
  ]).toEqual(['User created', 'Started working as another user', 'Device forgotten']);
});

test('RES-39: how a restore or its undo ended is told with its counts, those of nothing left out', () => {
  expect([
    endLine({ restored: 3, skipped: 2 }),
    endLine({ result: 'cancelled' }),
    endLine({ result: 'failed', failed: 4 }),
    endLine({ kind: 'undo', restored: 1, merged: 2, skipped: 1 }),
    getSentence({ what: 'user.made' }),
  ]).toEqual([
    'Restore of Saltmarsh Marine ended: 3 restored, 2 skipped',
    'Restore of Saltmarsh Marine stopped: no items',
    'Restore of Saltmarsh Marine failed: 4 failed',
    'Undo of a restore of Saltmarsh Marine ended: 3 undone, 1 skipped',
    'User created',
  ]);
});

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('LOGS-1: the record shows who did what for whom, when and from where, newest first, by time, user, kind and words, in pages', async () => {
    const { root, idOf: loadId } = await thePeople(fixture);
    const began = fixture.context.clock.now();
    fixture.pass(1_000);
    await root('POST', 'users', aUser('mia', { companies: [1] }));
    fixture.pass(1_000);
    const mia = await loadId('mia');
    await root('PUT', `users/${mia}`, { name: 'Mia M.' });
    fixture.pass(1_000);
    await root('PUT', `users/${mia}`, { roles: ['read-only'] });
    const all = await log(root, `&from=${began + 1}`);
    expect(kinds(all)).toEqual(['user.scoped', 'user.changed', 'user.made']);
    expect(all.rows[1]).toMatchObject({
      words: 'User edited',
      user: { _id: mia, username: 'mia', name: 'Mia M.' },
      actor: { username: 'root' },
      isImpersonated: false,
      acting: false,
      ip: '192.0.2.7',
      at: began + 2_000,
    });
    expect(kinds(await log(root, `&what=user.changed&user=${mia}`))).toEqual(['user.changed']);
    expect(kinds(await log(root, '&text=mia'))).toEqual([
      'user.scoped',
      'user.changed',
      'user.made',
    ]);
    expect(kinds(await log(root, `&text=roles%20or&from=${began + 1}`))).toEqual(['user.scoped']);
    expect(kinds(await log(root, `&from=${began + 1}&to=${began + 2_000}`))).toEqual(['user.made']);
    expect((await log(root, '&text=192.0.2.7')).count).toBe((await log(root)).count);
    expect((await log(root, '&text=%25')).count).toBe(0);
    const second = (
      await root<Log>('GET', `monitoring/reporting/users/logs?pageSize=1&page=2&from=${began + 1}`)
    ).body.data;
    expect([second.count, kinds(second)]).toEqual([3, ['user.changed']]);
    expect(all.kinds.map(({ words }) => words)).toEqual(
      expect.arrayContaining(['Signed in', 'User created']),
    );
    const signedIn = (await log(root, '&what=sign-in.done')).rows[0];
    expect(signedIn?.actor).toEqual(signedIn?.user);
  });

  test("LOGS-2, T2: users with some companies read the record of their users only, another provider's is not available, and others are refused", async () => {
    const { root, as } = await thePeople(fixture);
    const other = await thePeople(fixture);
    await root('POST', 'users', aUser('one', { companies: [1] }));
    await root('POST', 'users', aUser('two', { companies: [2] }));
    await other.root('POST', 'users', aUser('far'));
    const part = await as('part', ['admin'], [1]);
    const oper = await as('oper', ['operator']);
    expect((await log(part)).rows.map(({ user }) => user?.username)).toEqual(
      expect.arrayContaining(['one', 'part']),
    );
    const seen = JSON.stringify(await log(part));
    for (const name of ['two', 'far', 'oper', '"root"']) expect(seen).not.toContain(name);
    expect(JSON.stringify(await log(root))).not.toContain('far');
    for (const what of ['', '/export'])
      expect((await oper('GET', `monitoring/reporting/users/logs${what}`)).status).toBe(403);
  });

  test('RES-39, LOGS-2: the end of a restore is a sentence with the organization for those who may see it, and no device gets its event', async () => {
    const { root, as, tenant, idOf: loadId } = await thePeople(fixture);
    const both = await as('both', ['admin', 'o365_admin']);
    const elsewhere = await as('elsewhere', ['admin', 'o365_admin'], [2]);
    await as('restorer', ['o365_admin'], [2]);
    const user = await loadId('restorer');
    const { cursor, epoch } = (await both<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    const { store, clock } = fixture.context;
    const [organization, task] = [randomUUID(), randomUUID()];
    const counts = { restored: 1_200, merged: 1, skipped: 0, failed: 2 };
    await store.tenant(tenant, async (tx) => {
      const end = { organization, kind: 'restore', result: 'warning', bytes: 5 } as const;
      await tx.append(
        [
          {
            company: 1,
            entity: `organization:${organization}`,
            event: {
              type: 'organization.created@1',
              data: { id: organization, company: 1, ...ORGANIZATION },
            },
          },
          {
            company: 1,
            entity: `restoretask:${task}`,
            event: {
              type: 'restoretask.ended@1',
              data: { ...end, id: task, user, restore: null, counts },
            },
          },
        ],
        { ...byClock, at: clock.now() },
      );
      await auditOrigin(tx, fixture.context, {
        what: 'restoretask.ended',
        user,
        detail: { ...end, ...counts, task },
        at: clock.now(),
        origin: { ip: '', agent: '', actor: null, impersonation: null, key: null },
      });
    });
    expect(await endTexts(both)).toEqual([[endText(ORGANIZATION.name), 'restorer']]);
    expect(await endTexts(root)).toEqual([[endText('an organization'), 'restorer']]);
    expect(await endTexts(elsewhere)).toEqual([[endText('an organization'), 'restorer']]);
    const file = await both('GET', 'monitoring/reporting/users/logs/export?what=restoretask.ended');
    expect(file.text).toContain(`"${endText(ORGANIZATION.name)}"`);

    for (const who of [both, root]) {
      const page = await who('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}`);
      const bootstrap = await who('GET', 'sync/bootstrap');
      expect(page.status).toBe(200);
      expect(page.text + bootstrap.text).not.toMatch(/restoretask|restoreTask/);
      expect(page.text + bootstrap.text).not.toContain(task);
    }
    expect(
      (await both('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}`)).text,
    ).toContain('organization.created@1');
  });

  test('LOGS-3: the record as a file has all matches, with local times and UTC, and no formulas', async () => {
    const { root, as } = await thePeople(fixture);
    await as('=1+1', ['operator']);
    const file = await root('GET', 'monitoring/reporting/users/logs/export?what=sign-in.done');
    expect(file.headers.get('content-disposition')).toMatch(/filename="UserLogs_/);
    expect(file.text).toContain(",Signed in,'=1+1,'=1+1,No,192.0.2.7,");
    expect(file.text.split('\r\n').length).toBe((await log(root, '&what=sign-in.done')).count + 2);
  });
});
