import type { UserDirectory } from '#server/features/auth/directory/directory.ts';
import { accountHandlers } from '#server/features/auth/handlers.ts';
import { impersonationHandlers } from '#server/features/auth/impersonation.ts';
import { emailHandlers } from '#server/features/auth/email.ts';
import { loginTokenHandlers } from '#server/features/auth/login-token.ts';
import { ownSessionHandlers } from '#server/features/auth/own-sessions.ts';
import { passwordHandlers } from '#server/features/auth/password-change.ts';
import { profileHandlers } from '#server/features/auth/profile.ts';
import { recoveryHandlers } from '#server/features/auth/recovery.ts';
import { recoveryLinkHandlers } from '#server/features/auth/recovery-link.ts';
import type { Post } from '#server/platform/mail/queue-mail.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import { cookieIn, login } from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { getApp } from '../http/fixtures.ts';

/** The server with all that this area answers. `directory`: instead of one that would be asked. */
export const accountApp = ({ context }: Fixture, directory: UserDirectory | null = null): App =>
  getApp(context, {
    ...accountHandlers(context, async () => directory),
    ...recoveryHandlers(context, async () => directory),
    ...recoveryLinkHandlers(context),
    ...profileHandlers(context),
    ...emailHandlers(context),
    ...passwordHandlers(context, async () => directory),
    ...ownSessionHandlers(context),
    ...impersonationHandlers(context),
    ...loginTokenHandlers(context),
  });

/** All that was put on its way for a provider, in order. */
export const posted = ({ context }: Fixture, tenant: string): Promise<Post[]> =>
  context.store.tenant(tenant, async (tx) => {
    const rows = await tx.sql
      .selectFrom('outgoing')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .orderBy('made_at')
      .execute();
    return Promise.all(
      rows.map(
        async ({ id, sealed }) =>
          JSON.parse(
            await unseal(tx, context, { table: 'outgoing', column: 'sealed', row: id }, sealed),
          ) as Post,
      ),
    );
  });

/** The last six digits and the last link that were sent. */
export const lastCode = async (fixture: Fixture, tenant: string): Promise<string> =>
  getLast(await posted(fixture, tenant), /\b(\d{6})\b/);
export const lastLink = async (fixture: Fixture, tenant: string): Promise<string> =>
  getLast(await posted(fixture, tenant), /(https?:\S+)/);

function getLast(posts: readonly Post[], form: RegExp): string {
  return posts.flatMap(({ text }) => form.exec(text)?.[1] ?? []).at(-1) ?? '';
}

/** The cookie of an attempt as a browser would send it back. */
export const attemptIn = ({ headers }: Answer): string | null =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith('__Host-daybook-attempt='))
    ?.split(';')[0] ?? null;

export interface In {
  readonly token: string;
  readonly cookie: string | null;
  readonly id: string;
}
export async function signedIn(
  app: App,
  host: string,
  username = 'kate',
  password?: string,
): Promise<In> {
  const answer = await login(app, host, username, password);
  if (answer.status !== 200) throw new Error(`${username} is not let in: ${answer.text}`);
  return { token: answer.body.data.token, cookie: cookieIn(answer), id: answer.body.data.userId };
}

/** What was recorded of accounts, in order. */
export const recorded = ({ context }: Fixture, tenant: string) =>
  context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('audit')
      .select(['what', 'user_id', 'actor_id', 'impersonation_id', 'detail'])
      .where('tenant_id', '=', tenant)
      .orderBy('at')
      .orderBy('id')
      .execute(),
  );

export const setSettings = (
  { context }: Fixture,
  tenant: string,
  settings: ProviderSettings,
): Promise<unknown> =>
  context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('provider')
      .set({ settings: JSON.stringify(settings) })
      .where('tenant_id', '=', tenant)
      .execute(),
  );
