import { beforeAll, expect, test } from 'vitest';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import { allHandlers } from '#server/handlers.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { getApp, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import {
  Browser,
  lastCode,
  otherThan,
  place,
  recorded,
  totpAt,
  withTotp,
} from './factor-fixtures.ts';
import type { Place, Set } from './factor-fixtures.ts';
import { issuer } from './issuer.ts';
import type { Issuer } from './issuer.ts';

const PHONE = '+15550100112';
const IN = '/login#signed-in';
const STEP = '/login#step';
const cookies = ({ cookies: all }: Browser): string[] =>
  [...all.keys()].filter((name) => !name.endsWith('-oidc') && !name.endsWith('-device'));

anyDatabase((_name, open) => {
  let fixture: Fixture;
  let there: Issuer;
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
    there = await issuer();
  });

  /** A provider whose users sign in at the issuer, and `kate`. */
  async function portal(
    secondFactor: ProviderSettings['secondFactor'],
    set: Set = {},
    more: object = {},
  ): Promise<Place> {
    const oidc = { issuer: there.url, clientId: 'portal', label: 'Company account', ...more };
    const at = {
      ...(await place(fixture, {
        ...set,
        settings: { oidc, ...(secondFactor && { secondFactor }) },
      })),
      app: getApp(fixture.context, allHandlers(fixture.context)),
    };
    await fixture.context.store.tenant(at.tenant, (tx) =>
      storeSecret(tx, fixture.context, 'oidc', 'oidc-secret'),
    );
    fixture.pass(60_000);
    return at;
  }
  /** There and back, in a browser that then has what it was given. */
  async function round(at: Place): Promise<{ readonly kate: Browser; readonly to: string | null }> {
    const kate = new Browser(at.app, at.host);
    const began = await kate.send('auth/oidc/start', undefined, 'GET');
    const back = await kate.send(
      `auth/oidc/callback?${there.agree(began.headers.get('location') ?? '').toString()}`,
      undefined,
      'GET',
    );
    return { kate, to: back.headers.get('location') };
  }

  test("OIDC-4, FACTOR-1: a user with an authenticator confirms it after the issuer too, in the same browser, and isn't signed in before", async () => {
    const at = await portal(undefined);
    const { secret } = await withTotp(at);
    const { kate, to } = await round(at);
    expect([to, cookies(kate)]).toEqual([STEP, ['__Host-daybook-attempt']]);
    expect((await kate.renew()).status).toBe(401);
    const step = await kate.send('auth/login/step', {});
    expect([step.status, step.body.data.step, step.body.data.methods]).toEqual([
      200,
      'code',
      ['totp', 'recovery'],
    ]);
    const right = totpAt(secret, fixture.context.clock.now());
    expect(
      (await new Browser(at.app, at.host).factor('totp', right)).status,
      'in another browser',
    ).toBe(401);
    expect((await kate.factor('totp', otherThan(right))).status).toBe(401);
    const entered = await kate.factor('totp', right);
    expect([entered.status, entered.body.data.userId, cookies(kate)]).toEqual([
      200,
      at.id,
      ['__Host-daybook-refresh'],
    ]);
    const how = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .selectFrom('session')
        .select('how')
        .where('tenant_id', '=', at.tenant)
        .where('ended_at', 'is', null)
        .execute(),
    );
    expect(how.map((one) => one.how)).toContain('oidc+totp');
    expect((await kate.send('auth/login/step', {})).body.error.kind, 'the step is over').toBe(
      'expired',
    );
  });

  test('OIDC-4: what the provider requires of everybody is required after the issuer: a code, or setting up an authenticator', async () => {
    const bySms = await portal('sms', { phone: PHONE, proven: true });
    const one = await round(bySms);
    expect([one.to, (await one.kate.send('auth/login/step', {})).body.data.methods]).toEqual([
      STEP,
      ['sms'],
    ]);
    expect((await one.kate.sms(await lastCode(bySms, PHONE))).status).toBe(200);
    const strong = await portal('strong');
    const two = await round(strong);
    const {
      body: {
        data: { step, enrol },
      },
    } = await two.kate.send('auth/login/step', {});
    expect([two.to, step]).toEqual([STEP, 'enrol']);
    const entered = await two.kate.send('auth/login/enrol', {
      code: totpAt(enrol?.secret ?? '', fixture.context.clock.now()),
    });
    expect([entered.status, entered.body.data.userId]).toEqual([200, strong.id]);
    expect(await recorded(strong)).toContain('factor.added');
  });

  test('OIDC-4: the issuer is enough if nothing is required, or if the provider accepts its factor', async () => {
    for (const at of [
      await portal(undefined),
      await portal('strong', {}, { trustsFactor: true }),
      await portal('sms', { phone: PHONE }, { trustsFactor: true }),
    ]) {
      const { kate, to } = await round(at);
      expect(to).toBe(IN);
      expect((await kate.renew()).body.data.userId).toBe(at.id);
    }
    const not = await portal('strong', {}, { trustsFactor: false });
    expect((await round(not)).to).toBe(STEP);
  });

  test('OIDC-4: without the cookie of an attempt there is no step', async () => {
    const at = await portal('strong');
    expect((await new Browser(at.app, at.host).send('auth/login/step', {})).body.error.kind).toBe(
      'expired',
    );
  });
});
