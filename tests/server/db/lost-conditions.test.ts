import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from 'pg';
import { missing, openLarge } from './databases.ts';
import { findLostConditions } from './lost-conditions.ts';

const TENANT = '00000000-0000-0000-0000-000000000001';
let client: Client | null = null;

beforeAll(async () => {
  if (missing === '') client = await openLarge();
});
afterAll(() => client?.end());

const find = async (text: string, ...values: readonly unknown[]): Promise<string[]> =>
  client === null ? [] : findLostConditions(client, [{ text, values: [TENANT, ...values] }]);

test.skipIf(missing !== '')(
  `STORE-24: a statement whose values are parameters uses its index under row-level security${missing}`,
  async () => {
    expect(await find('select data from event where tenant_id = $1 and seq = $2', 5)).toEqual([]);
    expect(
      await find('select id from session where tenant_id = $1 and id = any($2::uuid[])', '{}'),
    ).toEqual([]);
    expect(
      await find(
        'select from item as i join item_text as t on t.tenant_id = i.tenant_id and t.object_n = i.object_n and t.n = i.n where i.tenant_id = $1 and i.object_n = $2',
        3,
      ),
    ).toEqual([]);
  },
);

test.skipIf(missing !== '')(
  `STORE-24: a statement is found if it calculates the value that it looks up under row-level security${missing}`,
  async () => {
    const [last] = await find(
      'select u.row from session as s join app_user as u on u.tenant_id = s.tenant_id and u.id = s.user_id::text where s.tenant_id = $1 and s.id = $2',
      TENANT,
    );
    expect(last).toMatch(/app_user\.id: select/);
    const [lost] = await find(
      "select from engine_task as t join explorer as e on e.tenant_id = t.tenant_id and e.id = (t.request ->> 'explorer')::uuid where t.tenant_id = $1",
    );
    expect(lost).toMatch(/^explorer\.id: select/);
  },
);
