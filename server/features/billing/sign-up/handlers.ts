import * as v from 'valibot';
import type { BillingSettings } from '#contract/billing/service-levels.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { parseStorable } from '#contract/stored-text.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { badField, FORBIDDEN_RESULT } from '#server/platform/auth/guards.ts';
import { isPlainUsername } from '#server/platform/auth/usernames.ts';
import {
  findPasswordError,
  measureOfNew,
  passwordRefused,
} from '#server/platform/crypto/password-rules.ts';
import { hashPassword } from '#server/platform/crypto/passwords.ts';
import { busyFor } from '#server/platform/http/envelope.ts';
import type { Handlers, RequestContext } from '#server/platform/http/handler.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';
import { portalAddress } from '#server/platform/tenancy/portal-address.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import type { SignUpRow } from './provision.ts';
import { listLevels, toSignUpOutput, toPrices } from './sign-up-step.ts';
import { closeCheckout, startCheckout } from './start-checkout.ts';
import {
  findSignUp,
  LINK_OVER,
  register,
  sendAgain,
  updateSignUp,
  VALID_MS,
} from './store-sign-up.ts';

type Names =
  | 'getSignUpOptions'
  | 'signUp'
  | 'verifySignUp'
  | 'completeSignUp'
  | 'resendSignUp'
  | 'validateRecaptcha'
  | 'startCheckout';

/** Sign-ups and emails of one address of the network per minute. */
const PER_MINUTE = 10;
/** As published at developers.google.com/recaptcha/docs/verify. */
const VERIFY_URL = 'https://www.google.com/recaptcha/api/siteverify';
const Verified = v.object({ success: v.boolean(), hostname: v.optional(v.string()) });

const NOT_NOW: Result<never> = failed({ kind: 'conflict', message: MESSAGES.signUpNotNow });

/** BILL-19: a new customer registers, verifies the address and pays on Stripe's page. */
export function signUpHandlers(context: AppContext): Pick<Handlers, Names> {
  const rateLimit = context.sharedLimits.perMinute('sign-up', PER_MINUTE);
  const { store } = context;
  const slow = ({ tenant, ip, now }: RequestContext) => rateLimit.check(`${tenant} ${ip}`, now);

  return {
    getSignUpOptions: (_, { tenant }) =>
      store.tenant(
        tenant,
        async (tx) => {
          const settings = await loadBillingSettings(tx);
          return ok({
            isOpen: settings.isSignUpOpen,
            currency: settings.currency,
            levels: settings.isSignUpOpen ? listLevels(settings).map(toPrices) : [],
          });
        },
        { readOnly: true },
      ),

    async signUp({ email, name, company, level }, ctx) {
      const refused = slow(ctx);
      if (refused) return failed(refused);
      const key = await context.sessionKey();
      return store.tenant(ctx.tenant, async (tx) => {
        const settings = await loadBillingSettings(tx);
        if (!settings.isSignUpOpen) return FORBIDDEN_RESULT;
        const wrong = checkDetails(settings, { email, level });
        if (!wrong.ok) return wrong;
        await tx.lock();
        await register(tx, context, { ...ctx, key }, { email, name, company, level });
        return ok({});
      });
    },

    async completeSignUp({ hash, name, company, level, password }, ctx) {
      const refused = slow(ctx);
      if (refused) return failed(refused);
      const found = await store.tenant(ctx.tenant, async (tx): Promise<Result<SignUpRow>> => {
        const row = await findSignUp(tx, hash, ctx.now);
        if (row === null || row.verified_at === null) return LINK_OVER;
        if (row.ready_at !== null) return ok(row);
        const { email } = row;
        const wrong = checkDetails(await loadBillingSettings(tx), { email, level });
        if (!wrong.ok) return wrong;
        if (password === undefined)
          return row.password_hash === '' ? badField('password', MESSAGES.signUpPassword) : ok(row);
        const weak = findPasswordError(
          password,
          await measureOfNew(tx, { username: email, name, email }),
        );
        return weak === null ? ok(row) : failed(passwordRefused(weak, 'password'));
      });
      if (!found.ok) return found;
      // Another tab has finished it: the page goes on there.
      if (found.value.ready_at !== null)
        return store.tenant(ctx.tenant, async (tx) =>
          ok(toSignUpOutput(found.value, await loadBillingSettings(tx))),
        );
      const hashing = password === undefined ? found.value.password_hash : hashPassword(password);
      if (!hashing) return failed(busyFor(1_000));
      const passwordHash = await hashing;
      const isPaid = await closeCheckout(context, ctx.tenant, found.value);
      if (!isPaid.ok) return isPaid;
      return store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        const row = await findSignUp(tx, hash, ctx.now);
        if (row === null) return LINK_OVER;
        const settings = await loadBillingSettings(tx);
        if (row.ready_at !== null) return ok(toSignUpOutput(row, settings));
        // A page to pay on was opened meanwhile.
        if (isPaid.value || row.session_id !== found.value.session_id) return NOT_NOW;
        const next = {
          name,
          company,
          level,
          password_hash: passwordHash,
          session_id: null,
          until: ctx.now + VALID_MS,
        };
        await updateSignUp(tx, row, next);
        return ok(toSignUpOutput({ ...row, ...next }, settings));
      });
    },

    async resendSignUp({ email }, ctx) {
      const refused = slow(ctx);
      if (refused) return failed(refused);
      const key = await context.sessionKey();
      await store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        await sendAgain(tx, context, { ...ctx, key }, email);
      });
      return ok({});
    },

    verifySignUp: ({ hash }, ctx) =>
      store.tenant(ctx.tenant, async (tx) => {
        const row = await findSignUp(tx, hash, ctx.now);
        if (row === null) return LINK_OVER;
        const settings = await loadBillingSettings(tx);
        if (row.verified_at === null)
          await updateSignUp(tx, row, { verified_at: ctx.now, until: ctx.now + VALID_MS });
        const { company_n: n } = row;
        const company = n === null ? undefined : (await tx.rows('company', [n])).get(n);
        return ok({
          ...toSignUpOutput({ ...row, verified_at: row.verified_at ?? ctx.now }, settings),
          companyId: company?.id ?? null,
        });
      }),

    async validateRecaptcha({ hash, response }, ctx) {
      const refused = slow(ctx);
      if (refused) return failed(refused);
      const found = await store.tenant(ctx.tenant, async (tx) => ({
        row: await findSignUp(tx, hash, ctx.now),
        settings: await loadBillingSettings(tx),
        secret: await readSecret(tx, context, 'recaptcha'),
        address: await portalAddress(tx, context, ctx),
      }));
      if (found.row === null || found.row.verified_at === null) return LINK_OVER;
      const { row, settings } = found;
      if (settings.recaptcha.isOn) {
        const valid =
          found.secret === null
            ? null
            : await isHuman(context, found.secret, response, {
                ip: ctx.ip,
                hosts: [ctx.host.replace(/:\d+$/, ''), new URL(found.address).hostname],
              });
        if (valid === null)
          return failed({
            kind: 'busy',
            message: MESSAGES.captchaUnreachable,
            retryAfterMs: 10_000,
          });
        if (!valid) return failed({ kind: 'conflict', message: MESSAGES.captchaFailed });
      }
      return store.tenant(ctx.tenant, async (tx) => {
        await updateSignUp(tx, row, { captcha_at: ctx.now, until: ctx.now + VALID_MS });
        return ok(toSignUpOutput({ ...row, captcha_at: ctx.now }, settings));
      });
    },

    startCheckout: startCheckout(context),
  };
}

/** Returns what is wrong with a registration. */
function checkDetails(
  settings: BillingSettings,
  { email, level }: Pick<SignUpRow, 'email' | 'level'>,
): Result<null> {
  if (!isPlainUsername(email)) return badField('email', MESSAGES.usernameNotPlain);
  if (!listLevels(settings).some((prices) => prices.level === level))
    return badField('level', MESSAGES.levelNotOffered);
  return ok(null);
}

/** `hosts`: the names of the portal, on which it was solved. Null if Google can't be reached. */
async function isHuman(
  context: AppContext,
  secret: string,
  response: string,
  { ip, hosts }: { readonly ip: string; readonly hosts: readonly string[] },
): Promise<boolean | null> {
  try {
    const answer = await context.payments.fetch(
      new Request(VERIFY_URL, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ secret, response, remoteip: ip }).toString(),
      }),
    );
    if (answer.status !== 200) return null;
    const read = v.safeParse(Verified, parseStorable(await answer.text()));
    if (!read.success) return null;
    // A site key whose domains Google doesn't check works on any site: the solution must be of this one.
    const { success, hostname } = read.output;
    return success && (hostname === undefined || hosts.includes(hostname));
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError) return null;
    throw error;
  }
}
