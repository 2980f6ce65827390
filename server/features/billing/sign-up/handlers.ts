import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import * as v from 'valibot';
import {
  findPrices,
  isForSuperAdmins,
  type BillingSettings,
  type LevelPrices,
} from '#contract/billing/service-levels.ts';
import type { SignUpOut } from '#contract/billing/sign-up-calls.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { parseStorable } from '#contract/stored-text.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { badField, FORBIDDEN } from '#server/platform/auth/guards.ts';
import { isPlainUsername, isUsernameTaken } from '#server/platform/auth/usernames.ts';
import {
  findPasswordError,
  measureOfNew,
  passwordRefused,
} from '#server/platform/crypto/password-rules.ts';
import { hashPassword } from '#server/platform/crypto/passwords.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { busyFor } from '#server/platform/http/envelope.ts';
import type { Handlers, RequestContext } from '#server/platform/http/handler.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { loadBranding } from '#server/platform/tenancy/branding.ts';
import { portalAddress } from '#server/platform/tenancy/portal-address.ts';
import { connectStripe, readStripe, writeStripe } from '../stripe/stripe.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { signUpMailMessages as t } from './messages.en.ts';
import { finishSignUp, provision, type SignUpRow } from './provision.ts';

type Names =
  | 'getSignUpOptions'
  | 'signUp'
  | 'verifySignUp'
  | 'resendSignUp'
  | 'validateRecaptcha'
  | 'startCheckout';

/** An abandoned sign-up expires after this time without a step. */
const VALID_MS: Ms = 7 * 86_400_000;
const TOKEN_BYTES = 32;
/** Sign-ups and emails of one address of the network per minute. */
const PER_MINUTE = 10;
/** As published at developers.google.com/recaptcha/docs/verify. */
const VERIFY_URL = 'https://www.google.com/recaptcha/api/siteverify';
const Verified = v.object({ success: v.boolean() });

const LINK_OVER = failed({ kind: 'not-found', message: MESSAGES.signUpOver });

/** BILL-19: a new customer registers, verifies the address and pays on Stripe's page. */
export function signUpHandlers(world: AppContext): Pick<Handlers, Names> {
  const rateLimit = makePerMinuteLimit(PER_MINUTE);
  const { store } = world;
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

    async signUp({ email, name, company, level, password }, ctx) {
      const refused = slow(ctx);
      if (refused) return failed(refused);
      const wrong = await store.tenant(ctx.tenant, async (tx): Promise<Result<null>> => {
        const settings = await loadBillingSettings(tx);
        if (!settings.isSignUpOpen) return FORBIDDEN;
        if (!isPlainUsername(email)) return badField('email', MESSAGES.usernameNotPlain);
        if (!listLevels(settings).some((prices) => prices.level === level))
          return badField('level', MESSAGES.levelNotOffered);
        const passwordError = findPasswordError(
          password,
          await measureOfNew(tx, { username: email, name, email }),
        );
        return passwordError === null
          ? ok(null)
          : failed(passwordRefused(passwordError, 'password'));
      });
      if (!wrong.ok) return wrong;
      // Hashed for known addresses too, so that the response time is the same.
      const hashing = hashPassword(password);
      if (!hashing) return failed(busyFor(1_000));
      const passwordHash = await hashing;
      await store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        if (await isKnown(tx, email)) return sendLink(tx, world, ctx, { email, token: null });
        const token = makeToken(world);
        const row = {
          email,
          name,
          company,
          level,
          password_hash: passwordHash,
          token_hash: hashToken(token),
          made_at: ctx.now,
          until: ctx.now + VALID_MS,
          verified_at: null,
          captcha_at: null,
          session_id: null,
          ready_at: null,
        };
        await tx.sql
          .insertInto('sign_up')
          .values({
            tenant_id: tx.tenant,
            id: world.chance.uuid(),
            email_key: toKey(email),
            ...row,
          })
          .onConflict((on) => on.columns(['tenant_id', 'email_key']).doUpdateSet(row))
          .execute();
        await sendLink(tx, world, ctx, { email, token });
      });
      return ok({});
    },

    async resendSignUp({ email }, ctx) {
      const refused = slow(ctx);
      if (refused) return failed(refused);
      await store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        if (await isKnown(tx, email)) return sendLink(tx, world, ctx, { email, token: null });
        const token = makeToken(world);
        const { numUpdatedRows } = await tx.sql
          .updateTable('sign_up')
          .set({ token_hash: hashToken(token), until: ctx.now + VALID_MS })
          .where('tenant_id', '=', tx.tenant)
          .where('email_key', '=', toKey(email))
          .where('until', '>', ctx.now)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows > 0n) await sendLink(tx, world, ctx, { email, token });
      });
      return ok({});
    },

    verifySignUp: ({ hash }, ctx) =>
      store.tenant(ctx.tenant, async (tx) => {
        const row = await findSignUp(tx, hash, ctx.now);
        if (row === null) return LINK_OVER;
        const settings = await loadBillingSettings(tx);
        if (row.verified_at === null)
          await update(tx, row, { verified_at: ctx.now, until: ctx.now + VALID_MS });
        return ok(toOutput({ ...row, verified_at: row.verified_at ?? ctx.now }, settings));
      }),

    async validateRecaptcha({ hash, response }, ctx) {
      const refused = slow(ctx);
      if (refused) return failed(refused);
      const found = await store.tenant(ctx.tenant, async (tx) => ({
        row: await findSignUp(tx, hash, ctx.now),
        settings: await loadBillingSettings(tx),
        secret: await readSecret(tx, world, 'recaptcha'),
      }));
      if (found.row === null || found.row.verified_at === null) return LINK_OVER;
      const { row, settings } = found;
      if (settings.recaptcha.isOn) {
        const valid =
          found.secret === null ? null : await isHuman(world, found.secret, response, ctx.ip);
        if (valid === null)
          return failed({
            kind: 'busy',
            message: MESSAGES.captchaUnreachable,
            retryAfterMs: 10_000,
          });
        if (!valid) return failed({ kind: 'conflict', message: MESSAGES.captchaFailed });
      }
      return store.tenant(ctx.tenant, async (tx) => {
        await update(tx, row, { captcha_at: ctx.now, until: ctx.now + VALID_MS });
        return ok(toOutput({ ...row, captcha_at: ctx.now }, settings));
      });
    },

    async startCheckout({ hash }, ctx) {
      const found = await store.tenant(ctx.tenant, async (tx) => ({
        row: await findSignUp(tx, hash, ctx.now),
        settings: await loadBillingSettings(tx),
        address: await portalAddress(tx, world, ctx),
      }));
      const { row, settings, address } = found;
      if (row === null) return LINK_OVER;
      const { step } = toOutput(row, settings);
      if (row.verified_at === null || step === 'captcha' || step === 'ready')
        return failed({ kind: 'conflict', message: MESSAGES.signUpNotNow });
      const prices = findPrices(settings, row.level);
      if (prices === null || isFree(prices)) {
        await store.tenant(ctx.tenant, async (tx) => {
          await tx.lock();
          const current = await findSignUp(tx, hash, ctx.now);
          if (current?.ready_at === null) await provision(tx, world, current, null);
        });
        return ok({ url: null });
      }
      const stripe = await connectStripe(world, ctx.tenant);
      if (stripe === null || prices.stripePrice === null)
        return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
      const back = `${address}/o365/register/${hash}`;
      const opened = await reopenCheckout(world, ctx.tenant, stripe, row, back);
      if (!opened.ok) return opened;
      if (opened.value !== undefined) {
        await store.tenant(ctx.tenant, (tx) => update(tx, row, { until: ctx.now + VALID_MS }));
        return ok({ url: opened.value });
      }
      const price = prices.stripePrice;
      const body = {
        mode: 'subscription' as const,
        client_reference_id: row.id,
        customer_email: row.email,
        line_items: [{ price, ...(prices.stripeMeter === null && { quantity: 1 }) }],
        ...(settings.trialDays > 0 && {
          subscription_data: { trial_period_days: settings.trialDays },
        }),
        success_url: `${back}?checkout=success`,
        cancel_url: back,
      };
      const session = await writeStripe(
        world,
        ctx.tenant,
        { what: `sign-up:${row.id}`, body },
        (options) => stripe.checkout.sessions.create(body, options),
      );
      if (!session.ok) return session;
      await store.tenant(ctx.tenant, (tx) =>
        update(tx, row, { session_id: session.value.id, until: ctx.now + VALID_MS }),
      );
      return ok({ url: session.value.url });
    },
  };
}

/**
 * Returns the page that was opened before, so that nobody pays twice. Null: it is paid, and the account
 * exists now, even if Stripe's event is late. Undefined: a new page is needed, such as after a new link:
 * the page before would lead back to one that is over, so it ends.
 */
async function reopenCheckout(
  world: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { session_id: id }: SignUpRow,
  back: string,
): Promise<Result<string | null | undefined>> {
  if (id === null) return ok(undefined);
  const fetched = await readStripe(() =>
    stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] }),
  );
  if (!fetched.ok) return fetched.failure.kind === 'not-found' ? ok(undefined) : fetched;
  const { status, url, cancel_url: leadsTo } = fetched.value;
  if (status === 'open' && leadsTo === back) return ok(url ?? undefined);
  if (status === 'open') {
    const ended = await writeStripe(
      world,
      tenant,
      { what: `expire:${id}`, body: null },
      (options) => stripe.checkout.sessions.expire(id, {}, options),
    );
    return ended.ok ? ok(undefined) : ended;
  }
  if (status !== 'complete') return ok(undefined);
  const finished = await finishSignUp(world, tenant, fetched.value);
  return finished.ok ? ok(null) : finished;
}

/** Levels that a new customer can pay, or that are free. */
const listLevels = ({ levels }: BillingSettings): readonly LevelPrices[] =>
  levels.filter(
    (prices) =>
      prices.isOffered &&
      !isForSuperAdmins(prices.level) &&
      (isFree(prices) || prices.stripePrice !== null),
  );
const isFree = ({ userMills, gigabyteMills }: LevelPrices): boolean =>
  userMills === 0 && gigabyteMills === 0;
const toPrices = ({ level, userMills, gigabyteMills }: LevelPrices) => ({
  level,
  userMills,
  gigabyteMills,
});

function toOutput(row: SignUpRow, settings: BillingSettings): SignUpOut {
  const prices = findPrices(settings, row.level);
  return {
    step: getStep(row, settings),
    email: row.email,
    company: row.company,
    currency: settings.currency,
    prices: prices && toPrices(prices),
    recaptcha: settings.recaptcha,
  };
}

function getStep(row: SignUpRow, { recaptcha }: BillingSettings): SignUpOut['step'] {
  if (row.ready_at !== null) return 'ready';
  if (recaptcha.isOn && row.captcha_at === null) return 'captcha';
  return row.session_id === null ? 'checkout' : 'paying';
}

async function findSignUp(
  { sql, tenant }: TenantTx,
  hash: string,
  now: Ms,
): Promise<SignUpRow | null> {
  const row = await sql
    .selectFrom('sign_up')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('token_hash', '=', hashToken(hash))
    .where('until', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

const update = (
  { sql, tenant }: TenantTx,
  { id }: SignUpRow,
  next: Partial<SignUpRow>,
): Promise<unknown> =>
  sql
    .updateTable('sign_up')
    .set(next)
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();

const toKey = (email: string): string => email.trim().toLowerCase();
const makeToken = ({ chance }: AppContext): string =>
  `s-${Buffer.from(chance.bytes(TOKEN_BYTES)).toString('base64url')}`;
const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** G36: a known address gets another email, and the caller the same response. */
async function isKnown(tx: TenantTx, email: string): Promise<boolean> {
  if (await isUsernameTaken(tx, email, null)) return true;
  const row = await tx.sql
    .selectFrom('person')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('email', '=', email)
    .executeTakeFirst();
  return row !== undefined;
}

/** Emails the link of a sign-up, or to a known address the one to sign in. */
async function sendLink(
  tx: TenantTx,
  world: AppContext,
  ctx: RequestContext,
  { email, token }: { readonly email: string; readonly token: string | null },
): Promise<void> {
  const { title: portal } = await loadBranding(tx);
  const path = token === null ? '/login' : `/o365/register/${token}`;
  await post(tx, world, {
    kind: 'mail',
    to: email,
    subject: t.subject({ portal }),
    text: [
      t.hello,
      token === null ? t.known({ portal }) : t.verify({ portal }),
      `${await portalAddress(tx, world, ctx)}${path}`,
      t.ignore,
    ].join('\n\n'),
  });
}

/** Null if Google can't be reached. */
async function isHuman(
  world: AppContext,
  secret: string,
  response: string,
  ip: string,
): Promise<boolean | null> {
  try {
    const answer = await world.payments.fetch(
      new Request(VERIFY_URL, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ secret, response, remoteip: ip }).toString(),
      }),
    );
    if (answer.status !== 200) return null;
    const read = v.safeParse(Verified, parseStorable(await answer.text()));
    return read.success ? read.output.success : null;
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Deletes the sign-ups that were abandoned. */
export const deleteExpiredSignUps = async ({ sql, tenant }: TenantTx, now: Ms): Promise<void> => {
  await sql
    .deleteFrom('sign_up')
    .where('tenant_id', '=', tenant)
    .where('until', '<', now)
    .execute();
};
