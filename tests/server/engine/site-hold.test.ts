import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadObjectsOnHold } from '#server/engine/embedded/repositories/legal-holds.ts';
import { eachDatabase } from '../db/databases.ts';
import { createRepositoryRow, makeSessionBench } from './session-bench.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);

/** Returns the site above a site: in a tree, its number is smaller. */
const getParent = (of: readonly (number | null)[], n: number): number | null => {
  const parent = of[n] ?? null;
  return parent === null || parent >= n ? null : parent;
};

eachDatabase((name, open) => {
  test(`ENG-121: a hold on a site is on all sites below it, where they are and where they were, and on no other (${name})`, async () => {
    const store = await open();
    // The site above each site: one with a smaller number, or none.
    const parents = fc.array(fc.option(fc.nat(11)), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        parents,
        parents,
        fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 3 }),
        async (present, former, onHold) => {
          const bench = await makeSessionBench(store, []);
          await createRepositoryRow(bench);
          const { tenant, repository, organization } = bench;
          await store.tenant(tenant, async ({ sql }) => {
            for (let n = 0; n < 12; n += 1) {
              const parent = (of: readonly (number | null)[]): string | null => {
                const above = getParent(of, n);
                return above === null ? null : `site${above}`;
              };
              await sql
                .insertInto('backup_object')
                .values({
                  tenant_id: tenant,
                  n: n + 1,
                  repository_id: repository,
                  organization_id: organization,
                  kind: 'site',
                  directory_id: `site${n}`,
                  name: `Site ${n}`,
                  address: '',
                  parent_id: parent(former),
                  tree: null,
                })
                .execute();
              // Some have left the tenant.
              if (n % 5 !== 4)
                await sql
                  .insertInto('directory_object')
                  .values({
                    tenant_id: tenant,
                    organization_id: organization,
                    kind: 'site',
                    id: `site${n}`,
                    name: `Site ${n}`,
                    address: '',
                    parent_id: parent(present),
                    deleted_at: null,
                  })
                  .execute();
            }
          });
          for (const n of onHold)
            await bench.append({
              type: 'organization.holdplaced@1',
              data: {
                id: organization,
                hold: {
                  id: randomUUID(),
                  kind: 'site',
                  object: `site${n}`,
                  name: `Site ${n}`,
                  reason: 'A lawsuit',
                  user: randomUUID(),
                  until: null,
                },
              },
            });
          /** The slow way: from each site upwards, by either tree. */
          const isBelow = (n: number): boolean => {
            if (onHold.includes(n)) return true;
            const above = [getParent(former, n), ...(n % 5 === 4 ? [] : [getParent(present, n)])];
            return above.some((parent) => parent !== null && isBelow(parent));
          };
          const expected = Array.from({ length: 12 }, (_, n) => n).filter(isBelow);
          const found = await store.tenant(tenant, (tx) => loadObjectsOnHold(tx, repository, 0));
          expect(found.map((n) => n - 1).toSorted((a, b) => a - b)).toEqual(expected);
        },
      ),
      { numRuns: 15 * PROOF, endOnFailure: true },
    );
  });
});
