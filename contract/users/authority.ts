import { ABILITIES, getAbilities } from '../abilities.ts';
import type { Ability, Role } from '../abilities.ts';
import type { CompanyN } from '../ids.ts';

/** A user's roles, and the companies they apply to (null: all of the provider's). */
export interface UserRights {
  readonly roles: readonly Role[];
  readonly companies: readonly CompanyN[] | null;
}

/** The user who acts. With an API key, only the abilities granted to the key count. */
export interface ActingUser extends UserRights {
  readonly key?: { readonly abilities: readonly Ability[] };
}

const READ_ONLY = getAbilities(['read-only']);

/**
 * The abilities that a role can pass on to other users. An administrator manages the monitoring
 * area, whose technicians have abilities that the administrator role lacks. Invitations by a
 * sub-provider create read-only users. Every other role passes on its own abilities.
 */
const PASSED_ON: Readonly<Record<Role, ReadonlySet<Ability>>> = {
  'admin': getAbilities(['admin', 'operator', 'read-only']),
  'super-admin': new Set(ABILITIES),
  'sub-sp': READ_ONLY,
  'operator': getAbilities(['operator']),
  'read-only': READ_ONLY,
  'o365_admin': getAbilities(['o365_admin']),
};

/**
 * Returns the abilities that all roles together can pass on; with an API key, at most those granted
 * to the key.
 */
export function passableAbilities({
  roles,
  key,
}: Pick<ActingUser, 'roles' | 'key'>): ReadonlySet<Ability> {
  const passable = new Set(roles.flatMap((role) => [...PASSED_ON[role]]));
  return key === undefined
    ? passable
    : new Set(key.abilities.filter((ability) => passable.has(ability)));
}

/**
 * Returns whether `own` includes all companies of `other`. A user without any company is covered
 * only by access to the whole provider.
 */
export const coversCompanies = (
  own: readonly CompanyN[] | null,
  other: readonly CompanyN[] | null,
): boolean =>
  own === null || (other !== null && other.length > 0 && other.every((n) => own.includes(n)));

/**
 * Returns whether a user is visible to a user administrator. Other users are not listed, nor found
 * by id.
 */
export const seesUser = (
  actor: Pick<UserRights, 'companies'>,
  user: Pick<UserRights, 'companies'>,
): boolean => coversCompanies(actor.companies, user.companies);

/**
 * Returns whether the actor may grant these roles, and so may change a user who has them. What the
 * roles can do or pass on must be part of what the actor can pass on.
 */
export function coversRoles(
  actor: Pick<ActingUser, 'roles' | 'key'>,
  roles: readonly Role[],
): boolean {
  const passable = passableAbilities(actor);
  return [...getAbilities(roles), ...passableAbilities({ roles })].every((ability) =>
    passable.has(ability),
  );
}

/**
 * Returns whether the actor may act on a user at all: change, delete, notify or sign in as that
 * user.
 */
export const hasAuthorityOver = (actor: ActingUser, user: UserRights): boolean =>
  seesUser(actor, user) && coversRoles(actor, user.roles);

/**
 * Returns whether the actor may sign in as another user (G42). The actor must be an administrator.
 * The user must have strictly fewer abilities and must not administer users. Company numbers differ
 * between providers, so for a provider below the actor needs access to all companies.
 */
export function mayImpersonate(actor: ActingUser, target: UserRights, isBelow: boolean): boolean {
  if (!actor.roles.includes('admin') && !actor.roles.includes('super-admin')) return false;
  if (!coversRoles(actor, target.roles) || getAbilities(target.roles).has('monitoring.users'))
    return false;
  if (passableAbilities(target).size >= passableAbilities(actor).size) return false;
  return (
    actor.companies === null || (!isBelow && coversCompanies(actor.companies, target.companies))
  );
}

/**
 * Returns whether a user is an administrator of the whole provider. There is always at least one.
 */
export const isAdministrator = ({ roles, companies }: UserRights): boolean =>
  companies === null && roles.includes('admin');
