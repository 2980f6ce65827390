import { ABILITIES, abilitiesOf } from '../abilities.ts';
import type { Ability, Role } from '../abilities.ts';
import type { CompanyN } from '../ids.ts';

/** What somebody may do, and for which companies (null: all of the provider's). */
export interface UserRights {
  readonly roles: readonly Role[];
  readonly companies: readonly CompanyN[] | null;
}

/** Who acts. With an API key only the abilities that the key was given count. */
export interface Actor extends UserRights {
  readonly key?: { readonly abilities: readonly Ability[] };
}

const READ_ONLY = abilitiesOf(['read-only']);

/**
 * The abilities that a role may hand to other users. An administrator runs the monitoring area,
 * whose technicians have abilities that the role itself lacks; a sub-provider's invitations make
 * read-only users. Every other role hands on its own abilities.
 */
const PASSED_ON: Readonly<Record<Role, ReadonlySet<Ability>>> = {
  'admin': abilitiesOf(['admin', 'operator', 'read-only']),
  'super-admin': new Set(ABILITIES),
  'sub-sp': READ_ONLY,
  'operator': abilitiesOf(['operator']),
  'read-only': READ_ONLY,
  'o365_admin': abilitiesOf(['o365_admin']),
};

/**
 * What all roles of somebody may hand on together; with an API key no more than the key was given.
 */
export function passableAbilities({
  roles,
  key,
}: Pick<Actor, 'roles' | 'key'>): ReadonlySet<Ability> {
  const passable = new Set(roles.flatMap((role) => [...PASSED_ON[role]]));
  return key === undefined
    ? passable
    : new Set(key.abilities.filter((ability) => passable.has(ability)));
}

/**
 * Whether all companies of `other` are among those of `own`. A user without any company belongs to
 * the whole provider only.
 */
export const coversCompanies = (
  own: readonly CompanyN[] | null,
  other: readonly CompanyN[] | null,
): boolean =>
  own === null || (other !== null && other.length > 0 && other.every((n) => own.includes(n)));

/**
 * Whether a user exists for somebody who administers users: only then is it listed, or found by its
 * id.
 */
export const seesUser = (
  actor: Pick<UserRights, 'companies'>,
  user: Pick<UserRights, 'companies'>,
): boolean => coversCompanies(actor.companies, user.companies);

/**
 * Whether somebody may grant these roles, and so change a user who has them: what they can do or
 * hand on is no more than the actor hands on.
 */
export function coversRoles(actor: Pick<Actor, 'roles' | 'key'>, roles: readonly Role[]): boolean {
  const passable = passableAbilities(actor);
  return [...abilitiesOf(roles), ...passableAbilities({ roles })].every((ability) =>
    passable.has(ability),
  );
}

/** Whether somebody may act on a user at all: change, end, notify or sign in as it. */
export const hasAuthorityOver = (actor: Actor, user: UserRights): boolean =>
  seesUser(actor, user) && coversRoles(actor, user.roles);

/**
 * Whether one user may sign in as another (G42): an administrator, as a user who can do strictly
 * less and does not administer users. At a provider below companies have other numbers: there it
 * takes all companies.
 */
export function mayActAs(actor: Actor, target: UserRights, isBelow: boolean): boolean {
  if (!actor.roles.includes('admin') && !actor.roles.includes('super-admin')) return false;
  if (!coversRoles(actor, target.roles) || abilitiesOf(target.roles).has('monitoring.users'))
    return false;
  if (passableAbilities(target).size >= passableAbilities(actor).size) return false;
  return (
    actor.companies === null || (!isBelow && coversCompanies(actor.companies, target.companies))
  );
}

/** An administrator of the whole provider: there is always one. */
export const isAdministrator = ({ roles, companies }: UserRights): boolean =>
  companies === null && roles.includes('admin');
