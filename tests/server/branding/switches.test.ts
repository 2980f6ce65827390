import { beforeAll, expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import type { Fixture } from '../http/fixtures.ts';
import { makeFixture } from '../http/fixtures.ts';
import { said, thePeople } from '../users/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';

let fixture: Fixture;
const ID = '00000000-0000-4000-8000-000000000001';
const ON = {
  ...PLAIN_FEATURES,
  rules: true,
  hints: true,
  reporting: { enabled: true, visibleFor: ['all'] },
  billing: { ccCollection: true },
} as const;
type Row = readonly [method: string, path: string, body?: object];

/**
 * The calls of each switch as the specification's section 7 names them, and the portal's own beside
 * them.
 */
const SWITCHES: readonly { readonly off: object; readonly calls: readonly Row[] }[] = [
  {
    off: { ...ON, rules: false },
    calls: [
      ['GET', 'monitoring/backoffice/rules'],
      ['POST', 'monitoring/backoffice/rules', {}],
      ['PUT', 'monitoring/backoffice/rules', {}],
      ['DELETE', `monitoring/backoffice/rules/${ID}`],
      ['POST', 'monitoring/backoffice/rules/test', {}],
    ],
  },
  {
    off: { ...ON, hints: false },
    calls: [
      ['GET', 'monitoring/backoffice/hints'],
      ['GET', 'monitoring/backoffice/hints/at-hand'],
      ['POST', 'monitoring/backoffice/hints', {}],
      ['PUT', `monitoring/backoffice/hints/${ID}`, {}],
      ['DELETE', `monitoring/backoffice/hints/${ID}`],
      ['POST', `monitoring/backoffice/hints/${ID}/helped`, {}],
    ],
  },
  {
    off: { ...ON, reporting: { enabled: false, visibleFor: ['all'] } },
    calls: [
      ['GET', 'monitoring/reporting/licensing'],
      ['GET', 'monitoring/reporting/licensing/companies'],
      ['POST', 'monitoring/reporting/licensing/export', {}],
      ['GET', 'monitoring/reporting/get-all-sla-alarm'],
      ['GET', 'monitoring/reporting/get-sla-alarm/1'],
      ['GET', 'monitoring/reporting/sla-report'],
      ['POST', 'monitoring/reporting/save-sla-alarm', {}],
      ['PUT', `monitoring/reporting/save-sla-alarm/${ID}`, {}],
      ['DELETE', `monitoring/reporting/remove-sla-alarm/${ID}`],
    ],
  },
  // Who pays by card changes it all the same.
  {
    off: { ...ON, billing: { ccCollection: false } },
    calls: [['POST', 'o365/checkout/ccCollection', {}]],
  },
];

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('SWITCH-1: what a provider has turned off is refused on the server too, for every role, and only that', async () => {
    const { root, as, tenant } = await thePeople(fixture);
    const everyone = await as('every', ROLES);
    const set = async (features: object): Promise<void> =>
      expect((await root('PUT', `service-providers/${tenant}/branding`, { features })).status).toBe(
        200,
      );
    const refused = async (calls: readonly Row[]): Promise<readonly string[]> => {
      const paths: string[] = [];
      for (const [method, path, body] of calls) {
        const answer = await everyone(method, path, body);
        if (answer.status !== 403) {
          expect(answer.text).not.toContain('no-such-call');
          continue;
        }
        expect(said(answer)).toEqual([403, 'forbidden', "You don't have access to this page."]);
        paths.push(`${method} ${path}`);
      }
      return paths;
    };
    const all = SWITCHES.flatMap(({ calls }) => calls);
    await set(ON);
    expect(await refused(all)).toEqual([]);
    for (const { off, calls } of SWITCHES) {
      await set(off);
      expect(await refused(all)).toEqual(calls.map(([method, path]) => `${method} ${path}`));
    }
  });
});
