import { expect, test } from 'vitest';
import type { Ability } from '#contract/abilities.ts';
import { ABILITIES } from '#contract/abilities.ts';
import type { CompanyN } from '#contract/ids.ts';
import {
  coversCompanies,
  coversRoles,
  hasAuthorityOver,
  mayImpersonate,
  passableAbilities,
} from '#contract/users/authority.ts';
import {
  expectActsAs,
  expectCovers,
  expectCoversCompanies,
  roleSets,
  specAbilities,
  SPEC_ROLES,
} from './role-table.ts';

const SETS = roleSets(1, 6);
const COMPANIES: readonly (readonly CompanyN[] | null)[] = [
  null,
  [],
  [1],
  [2],
  [1, 2],
  [2, 3],
  [1, 2, 3],
  [4],
];

test('USER-3: of all 63 sets of roles with all 63, exactly those whose abilities are handed on are covered', () => {
  expect(SETS).toHaveLength(63);
  const wrong: string[] = [];
  let covered = 0;
  for (const actor of SETS) {
    for (const target of SETS) {
      const expected = expectCovers(actor, target);
      covered += Number(expected);
      if (coversRoles({ roles: actor }, target) !== expected)
        wrong.push(`${actor.join('+')} over ${target.join('+')}`);
    }
  }
  expect(wrong).toEqual([]);
  // Some are and some are not: neither answer alone would pass.
  expect([covered > 500, covered < 63 * 63 - 500]).toEqual([true, true]);
});

test('USER-3: nobody but a super administrator reaches an administrator of Microsoft 365 from outside, nor that one anybody of the monitoring area', () => {
  expect(coversRoles({ roles: ['o365_admin'] }, ['admin'])).toBe(false);
  expect(coversRoles({ roles: ['admin'] }, ['o365_admin'])).toBe(false);
  for (const role of ['operator', 'read-only', 'sub-sp', 'super-admin'] as const)
    expect([role, coversRoles({ roles: ['o365_admin'] }, [role])]).toEqual([role, false]);
  for (const role of SPEC_ROLES)
    expect([role, coversRoles({ roles: ['super-admin'] }, [role])]).toEqual([role, true]);
  for (const role of ['admin', 'operator', 'read-only', 'sub-sp'] as const)
    expect([role, coversRoles({ roles: ['admin'] }, [role])]).toEqual([role, true]);
});

test('USER-3: what is granted grants no more: whoever an actor covers covers nobody whom the actor does not', () => {
  const covered = new Map(
    SETS.map((actor) => [
      actor,
      new Set(SETS.filter((target) => coversRoles({ roles: actor }, target))),
    ]),
  );
  const wrong: unknown[] = [];
  for (const [actor, reached] of covered)
    for (const target of reached)
      for (const third of covered.get(target) ?? [])
        if (!reached.has(third)) wrong.push([actor, target, third]);
  expect(wrong).toEqual([]);
});

test("USER-4: companies are covered where all of the other's are among the own", () => {
  for (const own of COMPANIES)
    for (const other of COMPANIES)
      expect([own, other, coversCompanies(own, other)]).toEqual([
        own,
        other,
        expectCoversCompanies(own, other),
      ]);
  expect(
    hasAuthorityOver(
      { roles: ['admin'], companies: [1] },
      { roles: ['operator'], companies: [1, 2] },
    ),
  ).toBe(false);
  expect(
    hasAuthorityOver(
      { roles: ['operator'], companies: null },
      { roles: ['admin'], companies: [1] },
    ),
  ).toBe(false);
  expect(
    hasAuthorityOver(
      { roles: ['admin'], companies: [1, 2] },
      { roles: ['operator'], companies: [1] },
    ),
  ).toBe(true);
});

test('ACT-1, G42: of all 63 sets of roles with all 63, an administrator signs in as who can do strictly less and administers no users', () => {
  const wrong: unknown[] = [];
  for (const actor of SETS) {
    for (const target of SETS) {
      const expected = expectActsAs(actor, target);
      const may = (
        companies: readonly CompanyN[] | null,
        of: readonly CompanyN[] | null,
        isBelow: boolean,
      ): boolean =>
        mayImpersonate({ roles: actor, companies }, { roles: target, companies: of }, isBelow);
      const wide = [may(null, null, false), may(null, [1], true), may([1, 2], [2], false)];
      const narrow = [
        may([1], [1, 2], false),
        may([1], null, false),
        may([1], [], false),
        may([1], [1], true),
      ];
      if (wide.some((one) => one !== expected) || narrow.some(Boolean))
        wrong.push([actor, target, wide, narrow]);
    }
  }
  expect(wrong).toEqual([]);
});

test('KEY-2: an API key passes on no more than its own permissions', () => {
  for (const roles of SETS) {
    for (const input of [[], ...SETS]) {
      const abilities = input.flatMap(specAbilities) as readonly Ability[];
      const passable = [...passableAbilities({ roles, key: { abilities } })];
      const all = passableAbilities({ roles });
      expect(passable.every((ability) => abilities.includes(ability) && all.has(ability))).toBe(
        true,
      );
    }
  }
  expect(
    coversRoles({ roles: ['admin'], key: { abilities: ['monitoring.users'] } }, ['read-only']),
  ).toBe(false);
  expect(coversRoles({ roles: ['super-admin'], key: { abilities: ABILITIES } }, ['admin'])).toBe(
    true,
  );
});
