import type { Role } from '#contract/abilities.ts';
import type { CompanyN, TenantId, UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { hashPassword } from '../../platform/crypto/passwords.ts';
import type { EventMeta } from '../../platform/db/store.ts';
import { isPlainUsername, isUsernameTaken, usernameKey } from '../../platform/auth/usernames.ts';
import type { AppContext } from '../../platform/app-context.ts';

export interface NewUser {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly roles: readonly Role[];
  /** Null for all companies of the provider. */
  readonly companies: readonly CompanyN[] | null;
}

export const makeCompany = (
  context: AppContext,
  tenant: TenantId,
  name: string,
): Promise<CompanyN> =>
  context.store.tenant(tenant, async (tx) => {
    const n = await tx.take('company', 1);
    await tx.append(
      [
        {
          event: { type: 'company.created@1', data: { n, id: context.chance.uuid(), name } },
          company: n,
          entity: `company:${n}`,
        },
      ],
      byServer(context),
    );
    return n;
  });

/**
 * Creates the event and, outside the log, the name and the password hash, in one transaction
 * (LOG-4). Throws if the user name is taken, or could be confused with another (USER-15).
 */
export async function makeUser(
  context: AppContext,
  tenant: TenantId,
  user: NewUser,
): Promise<UserId> {
  if (!isPlainUsername(user.username)) throw new Error(MESSAGES.usernameNotPlain);
  const hashing = hashPassword(user.password);
  if (!hashing) throw new Error('Too many passwords are being hashed.');
  const password_hash = await hashing;
  const id = context.chance.uuid() as UserId;
  await context.store.tenant(tenant, async (tx) => {
    const { username, name, email } = user;
    if (await isUsernameTaken(tx, username, null)) throw new Error(MESSAGES.usernameTaken);
    const companies = user.companies === null ? null : [...user.companies];
    await tx.append(
      [
        {
          event: { type: 'user.created@1', data: { id, roles: [...user.roles], companies } },
          company: null,
          entity: `user:${id}`,
        },
      ],
      byServer(context),
    );
    await tx.sql
      .insertInto('person')
      .values({
        tenant_id: tenant,
        id,
        username,
        username_key: usernameKey(username),
        name,
        email,
        password_hash,
      })
      .execute();
  });
  return id;
}

const byServer = ({ clock }: AppContext): EventMeta => ({
  actor: { kind: 'clock' },
  subject: null,
  commandId: null,
  at: clock.now(),
});
