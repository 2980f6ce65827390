import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, outside, type Query, type Outside, type Details } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { aField, type Field } from './fakes/fixtures.ts';
import { uid } from './fakes/vspc.ts';

let field: Field;
let there: Outside | undefined;
const status = async (): Promise<string[]> => {
  const listed = await field.listConnections();
  return listed.ok
    ? (listed.value[0]?.collections ?? []).map(({ entity, status }) => `${entity} ${status}`)
    : [];
};
const refused = (): number =>
  field.place.ground.lines.filter((line) =>
    line.includes('a collected result is not fit to be kept'),
  ).length;
const group = (id: string, VpgName: string, StatusDescription = '') => ({
  VpgIdentifier: id,
  VpgName,
  Status: 2,
  SubStatus: 0,
  StatusDescription,
  ActualRPO: 8,
  ConfiguredRpoSeconds: 300,
  VmsCount: 3,
});
const repository = (name: string, capacityGB: number) => ({
  id: uid(name),
  name,
  type: 'WinLocal\0',
  hostName: 'v\nbr',
  path: 'E:\\',
  capacityGB,
  freeGB: 1,
  usedSpaceGB: 1,
  isOnline: true,
});

anyDatabase((database, open) => {
  beforeEach(async () => {
    field = await aField(await open());
  });
  afterEach(async () => {
    await field.collectors.stop();
    await there?.stop();
  });

  test(`TEXT-1, TEXT-5: records with text that can’t be stored are mended, and a bad record affects no other (${database}, Zerto)`, async () => {
    const company = await field.company('Ours');
    there = await outside((request: Query): Details => {
      if (request.path === '/v1/session/add') return { headers: { 'x-zerto-session': 's' } };
      return request.path.startsWith('/v1/alerts')
        ? json([
            {
              Link: { identifier: `a${'\0'.repeat(400)}` },
              Level: 1,
              Description: '\ud800\r\n',
              TurnedOn: '\0',
            },
          ])
        : json([
            group(uid('1'), 'Good'),
            group(uid('2'), 'E\0R\r\nP\ud800', 'caf\udce9'),
            group('x'.repeat(400), 'Too long'),
            group(uid('3'), `${'n'.repeat(199)}\u{1f600}`),
          ]);
    });
    await field.connect(there.url, {
      kind: 'zerto',
      companyN: company,
      credentials: { kind: 'password', name: 'admin', secret: 'x' },
    });
    await field.round();
    expect([await status(), refused()]).toEqual([['jobs succeeded', 'alarms succeeded'], 1]);
    expect((await field.place.all('job')).map(({ name }) => name).toSorted()).toEqual([
      'E\ufffdR P\ufffd',
      'Good',
      'n'.repeat(199),
    ]);
    expect((await field.runs()).map(({ message }) => message)).toContain('caf\ufffd');
  });

  test(`TEXT-1, TEXT-5: records with text that can’t be stored are mended, and a bad record affects no other (${database}, Veeam)`, async () => {
    const company = await field.company('Ours');
    const lists: Readonly<Record<string, readonly unknown[]>> = {
      '/api/v1/jobs/states': [
        { id: uid('job 1'), name: 'VM\0s', type: 'VSphereBackup' },
        { id: 'y'.repeat(301), name: 'Too long' },
        { id: uid('job 2'), name: 'Fi\r\nles' },
      ],
      '/api/v1/sessions': [],
      '/api/v1/backupInfrastructure/repositories/states': [
        repository('Good', 10),
        repository('Huge', 1e300),
        repository('Od\ud800d', 20),
      ],
    };
    there = await outside((request: Query): Details => {
      const url = new URL(request.path, 'http://x');
      const rows = lists[url.pathname];
      if (url.pathname === '/api/oauth2/token')
        return json({
          access_token: 't',
          refresh_token: 'r',
          token_type: 'bearer',
          expires_in: 900,
        });
      return rows === undefined
        ? json({ status: 'Valid\0', edition: '\ud800', instances: {} })
        : json({
            data: Number(url.searchParams.get('skip')) === 0 ? rows : [],
            pagination: { total: rows.length },
          });
    });
    await field.connect(there.url, {
      kind: 'vbr',
      companyN: company,
      credentials: { kind: 'password', name: 'admin', secret: 'x' },
    });
    await field.round();
    expect([await status(), refused()]).toEqual([
      ['jobs succeeded', 'sessions succeeded', 'repositories succeeded', 'licences succeeded'],
      2,
    ]);
    expect((await field.place.all('job')).map(({ name }) => name).toSorted()).toEqual([
      'Fi les',
      'VM\ufffds',
    ]);
    expect(
      (await field.place.all('repository'))
        .map(({ name, hostName, type }) => [name, hostName, type].join('|'))
        .toSorted(),
    ).toEqual(['Good|v br|WinLocal\ufffd', 'Od\ufffdd|v br|WinLocal\ufffd']);
  });
});
