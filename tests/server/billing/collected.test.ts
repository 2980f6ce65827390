import { afterEach, beforeAll, expect, test } from 'vitest';
import { licensingHandlers } from '#server/features/billing/handlers.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anAsk, DAY, HOUR, iso, NOON } from '../ingest/fixtures.ts';
import { aConsole, aField, type Field } from '../connections/fakes/fixtures.ts';
import { aLicence, fill } from '../connections/fakes/vspc-estate.ts';
import { uid } from '../connections/fakes/vspc.ts';
import { type Query, json, outside, type Details } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { licenseTicks } from '../jobs/ticks.ts';

let store: Store;
let field: Field;

/** A backup server that tells of its licence alone. */
const aServer =
  (used: () => number): ((request: Query) => Details) =>
  ({ path }) => {
    const { pathname } = new URL(path, 'http://x');
    if (pathname.endsWith('/token'))
      return json({ access_token: 't', refresh_token: 'r', token_type: 'bearer', expires_in: 900 });
    if (pathname.endsWith('/license'))
      return json({
        status: 'Valid',
        edition: 'EnterprisePlus',
        expirationDate: iso(NOON + 90 * DAY),
        instances: {
          licensedInstancesNumber: 50,
          usedInstancesNumber: used(),
          newInstancesNumber: 1,
          rentalInstancesNumber: 2,
        },
      });
    return json({ data: [], pagination: { total: 0, count: 0, skip: 0, limit: 200 } });
  };

anyDatabase((_name, open) => {
  beforeAll(async () => {
    store = await open();
  });
  afterEach(async () => {
    await field.collectors.stop();
  });

  test('LIC-1, LIC-2: the licenses that a console and a backup server report count for their companies, and are stored by month', async () => {
    field = await aField(store);
    const vspc = await aConsole();
    const licensing = licensingHandlers(field.context);
    const keeper = licenseTicks(field.context);
    const ask = () => anAsk({ ...field.place.ground, context: field.context }, field.tenant);
    const lines = async (month?: string): Promise<unknown> => {
      const listed = await licensing.listCompanyLicensing(
        month === undefined ? {} : { month },
        ask(),
      );
      return listed.ok
        ? listed.value.companies.map(({ companyName, lines: all }) => [
            companyName,
            ...all
              .filter(({ source }) => source !== null)
              .map(({ product, workload, unit, used, fresh, rental, source }) => [
                product,
                workload,
                unit,
                used,
                fresh,
                rental,
                source,
              ]),
          ])
        : listed.failure;
    };
    fill(vspc.console, 2, 2, NOON - HOUR);
    vspc.console.licences.push(aLicence('Company 0', 12), aLicence('Company 1', 5));
    const [ours, served] = [
      await field.company('Calloway Freight', uid('company Company 0')),
      await field.company('Drummond & Pike', null),
    ];
    let used = 4;
    const server = await outside(aServer(() => used));
    await field.connect(vspc.outside.url, { name: 'Console' });
    await field.connect(server.url, {
      kind: 'vbr',
      name: 'Their server',
      companyN: served,
      credentials: { kind: 'password', name: 'admin', secret: 'x' },
    });
    await field.round();
    await keeper.tick(field.context.clock.now());
    expect(ours).not.toBe(served);
    const first = ['BackupAndReplication', 'VMs', 'Points', 12, 2, null, 'Console'];
    expect(await lines()).toEqual([
      ['Calloway Freight', first],
      [
        'Drummond & Pike',
        ['BackupAndReplication', 'EnterprisePlus', 'Instances', 4, 1, 2, 'Their server'],
      ],
      ['', ['BackupAndReplication', 'VMs', 'Points', 5, 2, null, 'Console']],
    ]);
    // A day later the server has more, and the console's company has none any more.
    used = 9;
    vspc.console.licences = [];
    await field.round(25 * HOUR);
    expect(await lines()).toEqual([
      ['Calloway Freight'],
      [
        'Drummond & Pike',
        ['BackupAndReplication', 'EnterprisePlus', 'Instances', 9, 1, 2, 'Their server'],
      ],
    ]);
    await keeper.tick(field.context.clock.now());
    field.place.ground.pass(40 * DAY);
    expect(await lines('2026-03')).toEqual([
      ['Calloway Freight', first],
      [
        'Drummond & Pike',
        ['BackupAndReplication', 'EnterprisePlus', 'Instances', 9, 1, 2, 'Their server'],
      ],
      ['', ['BackupAndReplication', 'VMs', 'Points', 5, 2, null, 'Console']],
    ]);
    await keeper.stop();
  });
});
