import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { anyDatabase } from '../db/databases.ts';
import { ask, login } from '../http/fixtures.ts';
import {
  aTill,
  PASSWORD,
  pay,
  readMails,
  REGISTRATION,
  SECRET,
  signUp,
  verify,
} from './stripe-fixtures.ts';
import { DAY, must } from './subscription-fixtures.ts';

const HOUR = 3_600_000;

anyDatabase((kind, open) => {
  test(`BILL-19, G36: a new customer registers, verifies, passes the reCAPTCHA, pays and signs in (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, owner, office } = till;
    const prices = await must<object>(owner, 'GET', 'o365/billing/settings');
    const turnOn = (siteKey: string | null) =>
      owner('PUT', 'o365/billing/settings', { ...prices, recaptcha: { isOn: true, siteKey } });
    const store = (value: string | null) =>
      owner('PUT', 'o365/billing/secrets/recaptcha', { value });
    // Without both keys, nobody could sign up.
    expect((await turnOn('site')).text).toContain('Store the secret key');
    expect((await store('captcha-secret')).status).toBe(200);
    expect((await turnOn(null)).text).toContain('Enter the site key');
    expect((await turnOn('site')).status).toBe(200);
    expect((await store(null)).status).toBe(409);
    const options = await must<OutputOf<'getSignUpOptions'>>(
      visitor,
      'GET',
      'o365/provisioning/options',
    );
    // ACH and licenseStorage are for super-admins; a level without a price at Stripe can't be paid.
    expect(options.levels.map(({ level }) => level)).toEqual(['free', 'basic', 'advanced']);
    const hash = await signUp(till);
    const step = async (path: string, body: object): Promise<string> =>
      (await must<OutputOf<'verifySignUp'>>(visitor, 'POST', `o365/provisioning/${path}`, body))
        .step;
    expect((await visitor('POST', 'o365/provisioning/checkout-session', { hash })).status).toBe(
      409,
    );
    expect(await step('verify-email', { hash })).toBe('details');
    const { email: _, ...details } = REGISTRATION;
    const weak = await visitor('POST', 'o365/provisioning/details', {
      hash,
      ...details,
      password: REGISTRATION.email,
    });
    expect(weak).toMatchObject({ status: 400 });
    expect((await visitor('POST', 'o365/provisioning/details', { hash, ...details })).status).toBe(
      400,
    );
    expect(await step('details', { hash, ...details, password: PASSWORD })).toBe('captcha');
    const robot = await visitor('POST', 'o365/provisioning/validate-recaptcha', {
      hash,
      response: 'robot',
    });
    expect(robot.status).toBe(409);
    // A solution of another site is none of this one.
    const solvedOn = (hostname: string): void =>
      till.ground.context.payments.connectTo(() =>
        Promise.resolve(Response.json({ success: true, hostname })),
      );
    const solve = { hash, response: 'human' };
    solvedOn('shop.example.com');
    expect((await visitor('POST', 'o365/provisioning/validate-recaptcha', solve)).status).toBe(409);
    solvedOn(office.host);
    expect(await step('validate-recaptcha', solve)).toBe('checkout');
    till.ground.context.payments.connectTo(till.stripe.fetch);
    const { url } = await must<OutputOf<'startCheckout'>>(
      visitor,
      'POST',
      'o365/provisioning/checkout-session',
      { hash },
    );
    expect(await step('verify-email', { hash })).toBe('paying');
    expect(await pay(till, url ?? '', 'declined')).toContain('declined=1');
    expect(await step('verify-email', { hash })).toBe('paying');
    expect(await pay(till, url ?? '')).toContain(`/o365/register/${hash}?checkout=success`);
    expect(await step('verify-email', { hash })).toBe('ready');
    const row = (
      await must<OutputOf<'listSubscriptions'>>(owner, 'GET', 'o365/subscriptions')
    ).rows.find(({ companyName }) => companyName === 'Calla Design');
    expect(row?.subscription).toMatchObject({ status: 'active', level: 'basic', hasCard: true });
    const signedIn = (await login(office.app, office.host, REGISTRATION.email, PASSWORD)).body.data;
    const { token } = signedIn;
    // The first run begins with an organization.
    expect(signedIn).toMatchObject({ user: { hasOrganizations: false, hasJobs: false } });
    const checkout = /(cs_\w+)/.exec(url ?? '')?.[1] ?? '';
    const result = await ask(office.app, `/api/v1/o365/checkout/${checkout}/success`, {
      method: 'GET',
      host: office.host,
      token,
    });
    expect(result.body).toMatchObject({
      data: { status: 'complete', mode: 'subscription', isLinked: true, isRefused: false },
    });
    const own = await ask<OutputOf<'listSubscriptions'>>(office.app, '/api/v1/companies', {
      method: 'GET',
      host: office.host,
      token,
    });
    expect([own.status, own.text.includes('Drummond')]).toEqual([403, false]);
    // A known address gets the same response, another email, and no second account.
    expect(await visitor('POST', 'o365/provisioning', REGISTRATION)).toMatchObject({ status: 200 });
    expect(
      await visitor('POST', 'o365/provisioning/resend-verify-email', {
        email: 'nobody@example.com',
      }),
    ).toMatchObject({ status: 200 });
    expect((await readMails(till.ground.context, office.tenant)).at(-1)).toContain(
      'already have an account',
    );
    // So does one that its user wrote in another case.
    await till.ground.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .insertInto('person')
        .values({
          tenant_id: tenant,
          id: crypto.randomUUID(),
          username: 'otto',
          username_key: 'otto',
          name: 'Otto Elm',
          email: 'Otto@Elm.example.com',
          password_hash: null,
        })
        .execute(),
    );
    expect(
      await visitor('POST', 'o365/provisioning', {
        ...REGISTRATION,
        email: 'otto@elm.example.com',
      }),
    ).toMatchObject({ status: 200 });
    const sent = (await readMails(till.ground.context, office.tenant)).filter((text) =>
      text.includes('otto@elm.example.com'),
    );
    expect(sent).toEqual([expect.stringContaining('already have an account')]);
  });

  test(`BILL-19, G36: an address gets three emails an hour, whether it is known or not, and nobody learns of it (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, office, ground: fixture } = till;
    const count = async (email: string): Promise<number> =>
      (await readMails(fixture.context, office.tenant)).filter((text) =>
        text.toLowerCase().includes(email),
      ).length;
    const hash = await signUp(till, { level: 'free', email: 'known@elm.example.com' });
    await verify(till, hash, { level: 'free' });
    await must(visitor, 'POST', 'o365/provisioning/checkout-session', { hash });
    fixture.pass(2 * HOUR);
    const before = await count('known@elm.example.com');
    const answers = new Set<string>();
    for (const email of ['known@elm.example.com', 'new@elm.example.com'])
      for (const path of ['', '/resend-verify-email', '', '/resend-verify-email', '']) {
        const { status, text } = await visitor('POST', `o365/provisioning${path}`, {
          ...(path === '' && REGISTRATION),
          email: path === '' ? email : email.toUpperCase(),
        });
        answers.add(`${status} ${text}`);
      }
    expect([...answers]).toEqual([expect.stringMatching(/^200 /)]);
    expect((await count('known@elm.example.com')) - before).toBe(3);
    expect(await count('new@elm.example.com')).toBe(3);
    fixture.pass(HOUR);
    await signUp(till, { email: 'new@elm.example.com' });
    expect(await count('new@elm.example.com')).toBe(4);
  });

  test(`BILL-19: a level that is no longer offered can't be chosen by a link, and isn't free (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, owner } = till;
    const hash = await signUp(till);
    await verify(till, hash);
    const stored = await must<OutputOf<'getBillingSettings'>>(
      owner,
      'GET',
      'o365/billing/settings',
    );
    const withdraw = (userMills: number): Promise<unknown> =>
      must(owner, 'PUT', 'o365/billing/settings', {
        ...stored,
        levels: stored.levels.map((level) =>
          level.level === 'basic' ? { ...level, isOffered: false, userMills } : level,
        ),
      });
    const checkOut = () => visitor('POST', 'o365/provisioning/checkout-session', { hash });
    for (const price of [1_530, 0]) {
      await withdraw(price);
      expect(await checkOut()).toMatchObject({
        status: 409,
        text: expect.stringContaining('Select a service level that is offered.'),
      });
    }
    await must(owner, 'PUT', 'o365/billing/settings', stored);
    // What is paid already makes an account.
    const { url } = await must<OutputOf<'startCheckout'>>(
      visitor,
      'POST',
      'o365/provisioning/checkout-session',
      { hash },
    );
    await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: 'whsec_other' });
    await pay(till, url ?? '');
    await withdraw(1_530);
    expect(await checkOut()).toMatchObject({ status: 200, body: { data: { url: null } } });
  });

  test(`BILL-19: each email repeats the link of a sign-up, and an abandoned one expires (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, ground: fixture } = till;
    const link = await signUp(till, { level: 'free' });
    fixture.pass(6 * DAY);
    await must(visitor, 'POST', 'o365/provisioning/resend-verify-email', {
      email: REGISTRATION.email.toUpperCase(),
    });
    expect(await till.lastLink()).toBe(link);
    fixture.pass(6 * DAY);
    const reopen = (hash: string) => visitor('POST', 'o365/provisioning/verify-email', { hash });
    expect((await reopen(link)).status).toBe(200);
    fixture.pass(8 * DAY);
    expect((await reopen(link)).status).toBe(404);
    const next = await signUp(till, { level: 'free' });
    expect(next).not.toBe(link);
    await verify(till, next, { level: 'free' });
    // A free level needs no payment.
    expect(
      await must(visitor, 'POST', 'o365/provisioning/checkout-session', { hash: next }),
    ).toEqual({ url: null });
    expect((await reopen(next)).text).toContain('"step":"ready"');
  });

  test(`BILL-19, G36: who registers someone else's address gains nothing and ends no payment (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, stripe, office } = till;
    const hash = await signUp(till);
    await verify(till, hash);
    const { url } = await must<OutputOf<'startCheckout'>>(
      visitor,
      'POST',
      'o365/provisioning/checkout-session',
      { hash },
    );
    // The attacker can't choose a password, and what they enter changes nothing.
    const attack = { ...REGISTRATION, name: 'Mallory', company: 'Mallory Ltd', level: 'free' };
    const theirs = 'eleven stolen horse staples';
    expect(
      (await visitor('POST', 'o365/provisioning', { ...attack, password: theirs })).status,
    ).toBe(400);
    const known = await visitor('POST', 'o365/provisioning', attack);
    const unknown = await visitor('POST', 'o365/provisioning', {
      ...attack,
      email: 'nobody@calla.example.com',
    });
    expect([known.status, known.body.data]).toEqual([unknown.status, unknown.body.data]);
    await must(visitor, 'POST', 'o365/provisioning/resend-verify-email', { email: attack.email });
    // The newest email leads the customer to the same sign-up, and the page to pay on is still open.
    expect(await till.lastLink()).toBe(hash);
    expect(await must(visitor, 'POST', 'o365/provisioning/verify-email', { hash })).toMatchObject({
      step: 'paying',
      name: 'Zoe Calla',
      company: 'Calla Design',
      level: 'basic',
    });
    expect(await pay(till, url ?? '')).toContain(`/o365/register/${hash}?checkout=success`);
    expect(stripe.list('subscriptions')).toHaveLength(1);
    const signIn = async (password: string): Promise<number> =>
      (await login(office.app, office.host, REGISTRATION.email, password)).status;
    expect(await signIn(theirs)).toBe(401);
    expect(await signIn(PASSWORD)).toBe(200);
    // Who registered an address first doesn't decide either: whoever opens the link corrects it.
    const victim = { ...REGISTRATION, email: 'dan@dahlia.example.com', company: 'Dahlia Foods' };
    await must(visitor, 'POST', 'o365/provisioning', { ...attack, email: victim.email });
    await must(visitor, 'POST', 'o365/provisioning', victim);
    const link = await till.lastLink();
    await verify(till, link, { ...victim, level: 'free' });
    await must(visitor, 'POST', 'o365/provisioning/checkout-session', { hash: link });
    expect((await login(office.app, office.host, victim.email, PASSWORD)).status).toBe(200);
    const names = (
      await till.ground.context.store.tenant(office.tenant, (tx) => tx.all('company'))
    ).map(({ name }) => name);
    expect(names).toContain('Dahlia Foods');
    expect(names).not.toContain('Mallory Ltd');
  });

  test(`BILL-19: a payment page that is open is opened again, and a paid one needs no event (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, owner, stripe, office, ground: fixture } = till;
    const hash = await signUp(till);
    await verify(till, hash);
    const checkOut = (): Promise<OutputOf<'startCheckout'>> =>
      must(visitor, 'POST', 'o365/provisioning/checkout-session', { hash });
    const before = await checkOut();
    expect(await checkOut()).toEqual(before);
    expect(stripe.count('checkout')).toBe(1);
    // Corrected details end the page that has the former price.
    const { email: _, ...details } = { ...REGISTRATION, level: 'advanced' };
    const change = (more: object = {}): Promise<OutputOf<'completeSignUp'>> =>
      must(visitor, 'POST', 'o365/provisioning/details', { hash, ...details, ...more });
    expect(await change()).toMatchObject({ step: 'checkout', level: 'advanced' });
    const { url } = await checkOut();
    expect(url).not.toBe(before.url);
    expect(await pay(till, before.url ?? '')).toBe('');
    expect(stripe.list('subscriptions')).toEqual([]);
    // The event doesn't arrive.
    await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: 'whsec_other' });
    await pay(till, url ?? '');
    const getStep = async (): Promise<string> =>
      (
        await must<OutputOf<'verifySignUp'>>(visitor, 'POST', 'o365/provisioning/verify-email', {
          hash,
        })
      ).step;
    expect(await getStep()).toBe('paying');
    // What is paid no longer changes.
    expect(await change({ level: 'free', company: 'Other' })).toMatchObject({
      step: 'ready',
      level: 'advanced',
      company: 'Calla Design',
    });
    expect(await getStep()).toBe('ready');
    // A tab that still shows the details goes on to the account.
    expect(await change({ password: PASSWORD })).toMatchObject({
      step: 'ready',
      level: 'advanced',
    });
    // So does one that still shows the button to pay.
    expect(
      await must<OutputOf<'startCheckout'>>(visitor, 'POST', 'o365/provisioning/checkout-session', {
        hash,
      }),
    ).toEqual({ url: null });
    // It comes later, and makes no second account.
    await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: SECRET });
    for (const payload of stripe.events) expect(await stripe.send(payload)).toBe(200);
    const rows = await fixture.context.store.tenant(office.tenant, (tx) => tx.all('subscription'));
    expect(rows.map(({ status, hasCard, level }) => [status, hasCard, level])).toEqual([
      ['active', true, 'advanced'],
    ]);
  });

  test(`BILL-19: the page to pay on that another tab opened meanwhile is the one that counts (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, stripe, office, ground: fixture } = till;
    const hash = await signUp(till);
    await verify(till, hash);
    const setPage = (page: string | null): Promise<unknown> =>
      fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('sign_up')
          .set({ session_id: page })
          .where('tenant_id', '=', tenant)
          .execute(),
      );
    fixture.context.payments.connectTo(async (request) => {
      const answer = await stripe.fetch(request);
      await setPage('cs_other');
      return answer;
    });
    const checkOut = () => visitor('POST', 'o365/provisioning/checkout-session', { hash });
    // What is paid on a page that doesn't count would make no account, so nobody gets its address.
    expect((await checkOut()).status).toBe(409);
    fixture.context.payments.connectTo(stripe.fetch);
    await setPage(null);
    expect((await checkOut()).status).toBe(200);
  });
});
