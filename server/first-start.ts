import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TenantId } from '#contract/ids.ts';
import { defaultBranding } from './features/branding/default-branding.ts';
import { checkPassword } from './platform/crypto/passwords.ts';
import { makeCompany, makeUser } from './features/users/create-user.ts';
import { makeTenant } from './platform/db/tenants.ts';
import { usernameKey } from './platform/auth/usernames.ts';
import type { Chance, AppContext } from './platform/app-context.ts';
import { flushFolder } from './platform/flush-files.ts';
import { commandMessages as t } from './commands.messages.en.ts';

export interface Administrator {
  readonly username: string;
  readonly password: string;
}

const FILE = 'administrator.txt';
const USERNAME = 'admin';

/**
 * Creates a provider, a company and an administrator if they are missing, including the steps that
 * an interrupted start left out. Returns the administrator as long as the file with the initial
 * password exists: the operator deletes the file to stop printing the password.
 */
export async function firstStart(
  context: AppContext,
  wanted: string | null,
): Promise<Administrator | null> {
  const tenant = (await context.store.tenants())[0] ?? (await makeProvider(context));
  const there = await context.store.tenant(
    tenant,
    async ({ sql }) => ({
      company: await sql
        .selectFrom('company')
        .select('n')
        .where('tenant_id', '=', tenant)
        .limit(1)
        .executeTakeFirst(),
      person: await sql
        .selectFrom('person')
        .select('id')
        .where('tenant_id', '=', tenant)
        .limit(1)
        .executeTakeFirst(),
    }),
    { readOnly: true },
  );
  if (!there.person) {
    if (!there.company) await makeCompany(context, tenant, t.firstCompany);
    const password = await keepPassword(context, wanted);
    await makeUser(context, tenant, {
      username: USERNAME,
      name: t.administrator,
      email: 'admin@example.com',
      password,
      roles: ['admin', 'operator', 'super-admin'],
      companies: null,
    });
  }
  const password = readPassword(context);
  return password === null || !(await isStillRight(context, tenant, password))
    ? null
    : { username: USERNAME, password };
}

/**
 * Ignores a file whose password is no longer valid, because another server on this database was
 * first or the administrator has changed the password.
 */
async function isStillRight(
  context: AppContext,
  tenant: TenantId,
  password: string,
): Promise<boolean> {
  const person = await context.store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('person')
        .select('password_hash')
        .where('tenant_id', '=', tenant)
        .where('username_key', '=', usernameKey(USERNAME))
        .executeTakeFirst(),
    { readOnly: true },
  );
  return (await checkPassword(person?.password_hash ?? null, password)) ?? false;
}

async function makeProvider(context: AppContext): Promise<TenantId> {
  const tenant = context.chance.uuid() as TenantId;
  await makeTenant(context.store, {
    tenant,
    host: null,
    branding: defaultBranding(tenant, t.firstProvider, 'localhost'),
    isDefault: true,
  });
  return tenant;
}

/**
 * On disk before the user is created: an unused file is better than a password that nobody knows.
 */
export async function keepPassword(context: AppContext, wanted: string | null): Promise<string> {
  const stored = wanted ?? readPassword(context) ?? madePassword(context.chance);
  await mkdir(context.config.dataDir, { recursive: true, mode: 0o700 });
  await writeFile(
    join(context.config.dataDir, FILE),
    `user name: ${USERNAME}\npassword: ${stored}\n`,
    { mode: 0o600, flush: true },
  );
  flushFolder(context.config.dataDir);
  return stored;
}

/** Returns the password created at the first start; null once its file is deleted. */
export function readPassword({ config }: AppContext): string | null {
  const file = join(config.dataDir, FILE);
  return existsSync(file)
    ? (/^password: (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? null)
    : null;
}

/** Returns 20 letters and digits without look-alikes: 100 bits. */
function madePassword(chance: Chance): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
  return [...chance.bytes(20)]
    .map((byte) => letters[byte % 32])
    .join('')
    .replace(/(.{5})(?=.)/g, '$1-');
}
