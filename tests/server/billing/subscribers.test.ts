import { expect, test } from 'vitest';
import { ROLES, type Role } from '#contract/abilities.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aTill, collectCards } from './stripe-fixtures.ts';
import { DAY, findUser, getRow, list, must } from './subscription-fixtures.ts';

const COMPANIES: readonly CompanyN[] = [1, 2];
const inOrder = (one: CompanyN, other: CompanyN): number => one - other;
/** Null: all. */
const LISTS: readonly (readonly CompanyN[] | null)[] = [null, [1], [1, 2], []];
const WHO: readonly (readonly Role[])[] = [
  ...ROLES.map((role) => [role]),
  ['o365_admin', 'admin'],
  ['o365_admin', 'super-admin'],
];
/** Answers of a call that somebody may not make, or not about this company. */
const REFUSALS: readonly number[] = [403, 404];

/**
 * What section 6 of the specification and BILL-14 allow: subscriptions are super-admins', the service
 * level is an o365_admin's; who isn't a super-admin has those of the listed companies only.
 */
function getReach(roles: readonly Role[], listed: readonly CompanyN[] | null) {
  const isSuper = roles.includes('super-admin');
  const seen = (isSuper ? (listed ?? COMPANIES) : (listed ?? [])).toSorted(inOrder);
  return {
    /** Whose subscriptions are read. */
    read: seen,
    /** Whose card and level are changed. */
    own: isSuper || roles.includes('o365_admin') ? seen : [],
    /** Whose terms are agreed. */
    provider: isSuper ? seen : [],
    isSuper,
  };
}

anyDatabase((kind, open) => {
  test(`BILL-14: who sees and changes whose subscription, by role and listed companies (${kind})`, async () => {
    const till = await aTill(await open());
    const { owner, office, ground: fixture } = till;
    await collectCards(till);
    const start = { level: 'basic', minimumUsers: 4, trialEndsAt: null };
    for (const company of COMPANIES)
      await must(owner, 'POST', `o365/subscriptions/start/${company}`, start);
    fixture.pass(31 * DAY);
    await till.work();
    const biller = await office.as('biller', ['super-admin']);
    const march = '?month=3&year=2026';
    const { rows } = await list(biller, march);
    const names = new Map(rows.map((row) => [row.company, row.companyName]));
    const usages = new Map(
      rows.map(({ company, usage }) => {
        const { _id: id = '' } = usage ?? {};
        return [company, id];
      }),
    );
    const buyer = await office.as('buyer', ['o365_admin'], [2]);
    await must(buyer, 'POST', 'o365/checkout/ccCollection', {});
    const [page] = till.stripe.list('sessions');
    const buyerId = await findUser(till, 'buyer');
    const before = await Promise.all(COMPANIES.map((company) => getRow(biller, company)));

    const wrong: unknown[] = [];
    for (const [index, roles] of WHO.entries())
      for (const [at, listed] of LISTS.entries()) {
        const username = `user-${index}-${at}`;
        const who = await office.as(username, roles, listed);
        const reach = getReach(roles, listed);
        const check = (call: string, found: unknown, expected: unknown): void => {
          if (JSON.stringify(found) !== JSON.stringify(expected))
            wrong.push({ roles, listed, call, found, expected });
        };
        check('own', await readOwn(who, await findUser(till, username)), reach.read);
        const foreign = await who('GET', `o365/subscriptions/${buyerId}`);
        check(
          'of another',
          foreign.status,
          reach.isSuper ? (reach.read.includes(2) ? 200 : 404) : 403,
        );
        const all = await who<OutputOf<'listSubscriptions'>>('GET', 'o365/subscriptions');
        check('list', all.status, reach.isSuper ? 200 : 403);
        if (reach.isSuper)
          check(
            'rows',
            all.body.data.rows.map(({ company }) => company).toSorted(inOrder),
            reach.read,
          );
        const file = await who('POST', 'o365/subscriptions/export', { month: 3, year: 2026 });
        check('export', file.status, reach.isSuper ? 200 : 403);
        check(
          'names in the file',
          COMPANIES.filter((company) => file.text.includes(names.get(company) ?? '')),
          reach.provider,
        );
        check(
          'refresh',
          (await who('POST', 'o365/subscriptions/refresh', {})).status,
          reach.isSuper ? 200 : 403,
        );
        const result = `o365/checkout/${page?.id}/success`;
        check('result', (await who('GET', result)).status, reach.read.includes(2) ? 200 : 404);

        for (const company of COMPANIES) {
          const usage = `o365/subscriptions/billing/${usages.get(company)}`;
          const own: readonly (readonly [string, object])[] = [
            [`subscriptions/preview/${company}`, { operation: 'cancel' }],
            [`subscriptions/change-level/${company}`, { level: 'advanced' }],
            [`subscriptions/rollback/${company}`, {}],
            [`subscriptions/cancel/${company}`, {}],
            [`subscriptions/rollback/${company}`, {}],
            ['checkout/update', { companyId: company }],
            ['checkout/ccCollection', { companyId: company }],
            ['checkout/subscribe', { companyId: company }],
            ['checkout/invoice', { companyId: company }],
          ];
          const provider: readonly (readonly [string, object])[] = [
            [`subscriptions/preview/${company}`, { operation: 'update', userMills: 1 }],
            [`subscriptions/start/${company}`, start],
            [`subscriptions/update/${company}`, { userMills: 9_000, minimumUsers: 1 }],
            [`subscriptions/rollback/${company}`, {}],
            [`subscriptions/update-trial/${company}`, { trialEndsAt: null }],
            [`subscriptions/rollback/${company}`, {}],
            ['subscriptions/forgive-company', { companyId: company }],
            [`subscriptions/billing/${usages.get(company)}/ack`, {}],
            [`subscriptions/billing/${usages.get(company)}/unack`, {}],
          ];
          for (const [some, allowed] of [
            [own, reach.own],
            // Only the provider's own undo is a subscriber's, too.
            [
              provider.filter(([path]) => reach.isSuper || !path.includes('rollback')),
              reach.provider,
            ],
          ] as const)
            for (const [path, body] of some) {
              const { status } = await who('POST', `o365/${path}`, body);
              check(path, !REFUSALS.includes(status), allowed.includes(company));
            }
          const put = await who('PUT', usage, { users: 400, gigabytes: 0 });
          check('usage', !REFUSALS.includes(put.status), reach.provider.includes(company));
        }
        // Deleting a company needs access to all of them.
        const deleted = await who('POST', 'o365/subscriptions/delete-company', { companyId: 2 });
        const isDeleted = reach.isSuper && listed === null;
        check('delete', deleted.status, isDeleted ? 200 : 403);
        if (isDeleted) await must(who, 'POST', 'o365/deleted-companies/2/restore', {});
      }
    expect(wrong).toEqual([]);
    // Everything was undone.
    const terms = ['status', 'level', 'userMills', 'minimumUsers'] as const;
    for (const [index, company] of COMPANIES.entries()) {
      const { subscription } = await getRow(await office.signIn('biller'), company);
      for (const term of terms)
        expect([company, term, subscription?.[term]]).toEqual([
          company,
          term,
          before[index]?.subscription?.[term],
        ]);
    }
    // The subscription of a company that somebody may not see looks like that of none.
    const staff = await office.as('staff', ['o365_admin']);
    for (const path of ['subscriptions/cancel', 'subscriptions/change-level'])
      expect((await staff('POST', `o365/${path}/1`, { level: 'advanced' })).text).toBe(
        (await staff('POST', `o365/${path}/99`, { level: 'advanced' })).text,
      );
  });
});

async function readOwn(who: Asker, id: string): Promise<readonly CompanyN[]> {
  const { rows } = await must<OutputOf<'getSubscription'>>(who, 'GET', `o365/subscriptions/${id}`);
  return rows.map(({ company }) => company).toSorted(inOrder);
}
