import * as v from 'valibot';
import type { PersonSettings, SsoProvider } from '#contract/auth/profile.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { OutboundError } from '../../platform/outbound/address.ts';
import { fetchOutbound } from '../../platform/outbound/fetch.ts';
import { makePerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import { readSecret } from '../../platform/outbound/secret.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { parseStorable } from '#contract/stored-text.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

/** The limit per minute and user: each call makes this server sign in to another system. */
const CLICKS = 20;

/** The target of the redirect, or why there is none. */
type Led = { readonly url: string; readonly sessionId: string | null } | 'account' | 'service';
type Sso = NonNullable<ProviderSettings['sso']>;
type Account = NonNullable<NonNullable<PersonSettings['sso']>[SsoProvider]>;

/**
 * Single sign-on to another system (vac: Veeam Service Provider Console, vcd: VMware Cloud
 * Director, zerto) for a user who has an account there. Only this call returns the target address;
 * the page's own count of clicks opens nothing.
 */
export function ssoHandlers(context: AppContext): Pick<Handlers, 'validateSso'> {
  const rateLimit = makePerMinuteLimit(CLICKS);
  return {
    async validateSso({ provider }, ctx) {
      const { session, tenant } = ctx;
      const refused = rateLimit.check(session.userId, ctx.now);
      if (refused) return failed(refused);
      const { set, account, secret } = await context.store.tenant(tenant, async (tx) => {
        const { sso } = await loadProviderSettings(tx);
        const person = await tx.sql
          .selectFrom('person')
          .select('settings')
          .where('tenant_id', '=', tenant)
          .where('id', '=', session.userId)
          .executeTakeFirst();
        return {
          set: sso ?? null,
          account: person?.settings.sso?.[provider] ?? null,
          secret: await readSecret(tx, context, provider),
        };
      });
      if (!set?.[provider] || secret === null)
        return failed({ kind: 'conflict', message: MESSAGES.ssoNotSet });
      const name = provider === 'zerto' ? account?.zorgId : account?.username;
      if (account?.enabled !== true || !name)
        return failed({ kind: 'forbidden', message: MESSAGES.ssoNotYours });
      const led = await WAYS[provider](context, set, secret, account).catch(
        (error: unknown): Led => {
          if (!(error instanceof OutboundError)) throw error;
          context.log.warn('single sign-on could not be asked', {
            tenant,
            provider,
            error: error.message,
          });
          return 'service';
        },
      );
      if (led === 'account') return failed({ kind: 'forbidden', message: MESSAGES.ssoUnknown });
      if (led === 'service')
        return failed({ kind: 'busy', message: MESSAGES.ssoAway, retryAfterMs: 5_000 });
      await context.store.tenant(tenant, (tx) =>
        audit(tx, context, ctx, { what: 'sso.opened', user: session.userId, detail: { provider } }),
      );
      return ok(led);
    },
  };
}

const WAYS: {
  readonly [P in SsoProvider]: (
    context: AppContext,
    set: Sso,
    secret: string,
    account: Account,
  ) => Promise<Led>;
} = {
  /**
   * Requests the console's user of this name, and a token on their behalf. The console refuses
   * locked users.
   */
  async vac(context, { vac }, key, { username }) {
    if (!vac) return 'service';
    const base = plain(vac.url);
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
    const filter = JSON.stringify([
      { property: 'userName', operation: 'equals', collation: 'ignorecase', value: username },
    ]);
    const found = await fetchOutbound(
      context,
      `${base}/api/v3/users?${new URLSearchParams({ filter, limit: '2' }).toString()}`,
      { headers },
    );
    if (found.status !== 200) return 'service';
    const users = v.safeParse(
      v.object({ data: v.array(v.object({ instanceUid: v.string() })) }),
      await json(found),
    );
    const [user, ...more] = users.success ? users.output.data : [];
    if (!user || more.length > 0) return 'account';
    const token = await fetchOutbound(context, `${base}/api/v3/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ grant_type: 'as', userUid: user.instanceUid }),
    });
    return token.status === 200
      ? { url: `${base}/login`, sessionId: null }
      : token.status >= 500
        ? 'service'
        : 'account';
  },

  /** Exchanges the stored API token for a token of the organization. */
  async vcd(context, { vcd }, refresh) {
    if (!vcd) return 'service';
    const base = plain(vcd.url);
    const organization = encodeURIComponent(vcd.organization);
    const token = await fetchOutbound(context, `${base}/oauth/tenant/${organization}/token`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh }),
    });
    return token.status === 200
      ? { url: `${base}/tenant/${organization}`, sessionId: null }
      : token.status >= 500
        ? 'service'
        : 'account';
  },

  /**
   * Opens a session of the self-service portal for the user's organization. Its link works once,
   * and the session ends after half an hour without use.
   */
  async zerto(context, { zerto }, password, { zorgId }) {
    if (!zerto) return 'service';
    const base = plain(zerto.url);
    const headers = await zertoSession(context, base, zerto.username, password);
    if (!headers) return 'service';
    const made = await fetchOutbound(context, `${base}/v1/zsspsessions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'accept': 'application/json' },
      body: JSON.stringify({ ZorgIdentifier: zorgId, ZsspAddress: plain(zerto.zssp) }),
    });
    const id = v.safeParse(v.pipe(v.string(), v.regex(/^[\w-]{1,200}$/)), await json(made));
    if ('x-zerto-session' in headers)
      await fetchOutbound(context, `${base}/v1/session`, { method: 'DELETE', headers }).catch(
        () => undefined,
      );
    if (made.status >= 500 || (made.status < 300 && !id.success)) return 'service';
    if (made.status >= 300 || !id.success) return 'account';
    const query = new URLSearchParams({ type: 'Portal', locale: 'en_US', sessionId: id.output });
    return {
      url: `${plain(zerto.zssp)}/ZvmService/GUI/Index.html#/?${query.toString()}`,
      sessionId: id.output,
    };
  },
};

/**
 * Signs in with name and password, as older appliances do, or with the appliance's client
 * credentials if that call does not exist.
 */
async function zertoSession(
  context: AppContext,
  base: string,
  username: string,
  password: string,
): Promise<Readonly<Record<string, string>> | null> {
  const old = await fetchOutbound(context, `${base}/v1/session/add`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    },
  });
  const session = old.headers.get('x-zerto-session');
  if (old.status === 200 && session !== null) return { 'x-zerto-session': session };
  if (old.status !== 404) return null;
  const answer = await fetchOutbound(
    context,
    `${base}/auth/realms/zerto/protocol/openid-connect/token`,
    {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: username,
        client_secret: password,
      }),
    },
  );
  const token = v.safeParse(v.object({ access_token: v.string() }), await json(answer));
  return answer.status === 200 && token.success
    ? { authorization: `Bearer ${token.output.access_token}` }
    : null;
}

const plain = (url: string): string => url.replace(/\/+$/, '');
const json = (answer: Response): Promise<unknown> =>
  answer
    .text()
    .then(parseStorable)
    .catch(() => null);
