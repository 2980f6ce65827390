import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { keepDevice, knownDevice } from '#server/features/auth/devices.ts';
import { beginAttempt, heldAttempt } from '#server/features/auth/attempts.ts';
import { readToken } from '#server/platform/auth/tokens.ts';
import { keepTotp, newSecret, stepOfCode, useTotp } from '#server/features/auth/totp.ts';
import { allHandlers } from '#server/handlers.ts';
import { makeOneTime, readOneTime } from '#server/platform/crypto/one-time-secrets.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { takeTurn } from '#server/platform/rate-limit/per-hour.ts';
import { getApp, ask, login, makeFixture, provider, user } from '../http/fixtures.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { HERE, json, outside } from '../outbound/outside.ts';
import { eachDatabase } from '../db/databases.ts';
import { generateSync } from 'otplib';
import { mailTicks } from '../jobs/ticks.ts';

const AHEAD = 6 * 3_600_000;

/**
 * Columns that say until when, or from when on, something holds: each is bounded where it is read,
 * or needs no bound for the reason given.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  'background_job.due_at': 'runner',
  'background_job.lease_until': 'runner',
  'api_key.until': 'key-auth',
  'attempt.until': 'attempts',
  'attempt.code_until': 'codes',
  'backup_work.lease_until': 'sessions/work',
  'connection.held_until': 'is no longer read',
  'collection.next_at': 'collectors',
  'download.ticket_until': 'downloads',
  'kept_file.until': 'only clears away files',
  'notify_setting.next_at': 'digest',
  'one_time.until': 'one-time',
  'outgoing.next_at': 'sender',
  'push_waiting.next_at': 'push-due',
  'quickbooks.held_until': 'is no longer read',
  'quickbooks.poll_at': 'read-invoices',
  'quickbooks.renewed_until': 'quickbooks-tokens',
  'report_sent.due_at': 'only says when it was due',
  'report_sent.held_until': 'reports',
  'report_setting.next_at': 'reports',
  'repository_file.locked_until': 'is what the storage says, and locks nobody out',
  'running_command.absent_since': 'idempotent-command',
  'running_command.until': 'idempotent-command',
  'session.absolute_until': 'sessions',
  'session.access_until': 'authenticate',
  'session.idle_until': 'sessions',
  'sign_up.until':
    'locks nobody out: registering again replaces an expired one, and who has paid can finish',
  'throttle.forget_at': 'only clears away counts',
  'throttle.until': 'throttle',
  'ticket_work.held_until': 'ticket-work',
  'ticket_work.next_at': 'ticket-work',
  'ticketing.poll_at': 'ticket-poll',
  'totp.last_step': 'totp',
  'trusted_device.skips_code_until': 'sign-in-open',
  'trusted_device.until': 'devices',
  'vb365_explorer.code_until': 'vb365/restore/rights',
  'webhook.before_until': 'deliver',
  'webhook.held_until': 'deliver',
  'webhook_delivery.next_at': 'deliver',
};

eachDatabase((_name, open) => {
  let fixture: Fixture;
  let app: App;
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
    app = getApp(fixture.context, allHandlers(fixture.context));
  });

  test('G13: every column of the database that is valid until a time is known to be bounded', async () => {
    const { rows } = await fixture.context.store.system((db) =>
      sql<{
        name: string;
      }>`select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'bigint' and column_name ~ '(^|_)until$|^(next|poll|due|forget)_at$|^last_step$'`.execute(
        db,
      ),
    );
    expect(rows.map(({ name }) => name).filter((name) => BOUNDED[name] === undefined)).toEqual([]);
    expect(rows.length).toBeGreaterThan(20);
  });

  test('G13: after the clock was six hours ahead, people sign in on new devices, and nothing issued meanwhile gives access', async () => {
    const { tenant, host } = await provider(fixture);
    const id = await user(fixture, tenant, { username: 'kate' });
    fixture.pass(AHEAD);
    const early = (await login(app, host, 'kate')).body.data.token;
    for (let n = 0; n < 40; n += 1) await login(app, host, `nobody${n}`, 'wrong wrong wrong');
    for (let n = 0; n < 8; n += 1) await login(app, host, 'kate', 'wrong wrong wrong');
    expect((await login(app, host, 'kate')).status).toBe(429);
    fixture.pass(-AHEAD);
    expect((await login(app, host, 'kate')).status).toBe(200);
    // A session of the wrong time would live six hours longer than any other.
    expect((await ask(app, `/api/v1/profile/${id}`, { host, token: early })).status).toBe(401);
  });

  test('G13: codes, links, attempts, devices and rate limits from a wrong time block nothing at the right one', async () => {
    const { tenant } = await provider(fixture);
    const { context } = fixture;
    const kate = await user(fixture, tenant, { username: 'kate' });
    const secret = newSecret(context.chance);
    const codeNow = (): string =>
      generateSync({ secret, epoch: Math.floor(context.clock.now() / 1_000) });
    await context.store.tenant(tenant, async (tx) => {
      fixture.pass(AHEAD);
      const now = context.clock.now();
      await keepTotp(
        tx,
        context,
        kate,
        secret,
        (stepOfCode(secret, codeNow(), now, 0) ?? 0) - 1,
        now,
      );
      expect(await useTotp(tx, context, kate, codeNow(), now)).toBe(true);
      const attempt = await beginAttempt(
        tx,
        context,
        { kind: 'sign-in', userId: kate, state: {} },
        now,
      );
      const link = await makeOneTime(tx, context, 'password', kate, {}, now, 900_000);
      const device = readToken(await keepDevice(tx, context, null, kate, now));
      const key = Buffer.alloc(32, 1);
      const turns = { kind: 'sms-turn', owner: 'user|kate', perHour: 1 } as const;
      expect([await takeTurn(tx, key, turns, now), await takeTurn(tx, key, turns, now)]).toEqual([
        true,
        false,
      ]);
      fixture.pass(-AHEAD);
      const then = context.clock.now();
      // The code of the present is taken, once.
      expect([
        await useTotp(tx, context, kate, codeNow(), then),
        await useTotp(tx, context, kate, codeNow(), then),
      ]).toEqual([true, false]);
      expect(await heldAttempt(tx, readToken(attempt.token), ['sign-in'], then)).toBeNull();
      expect(await readOneTime(tx, 'password', link, then)).toBeNull();
      expect(device && (await knownDevice(tx, device, kate, then))).toBeNull();
      expect(await takeTurn(tx, key, turns, then)).toBe(true);
    });
  });

  test('G13: a message whose next try was set by a wrong clock is sent', async () => {
    const { tenant } = await provider(fixture);
    const { context } = fixture;
    let status = 503;
    const gateway = await outside(() => (status === 503 ? { status } : json({ sid: 'SM1' }, 201)));
    await context.store.tenant(tenant, async (tx) => {
      await tx.sql
        .updateTable('provider')
        .set({
          settings: JSON.stringify({
            sms: { url: gateway.url, account: 'AC1', from: '+15550100100' },
          }),
        })
        .where('tenant_id', '=', tenant)
        .execute();
      await storeSecret(tx, context, 'sms', 'token');
      await post(tx, context, { kind: 'sms', to: '+15550100200', text: 'Your code is 123456.' });
    });
    const sender = mailTicks({
      ...context,
      clock: {
        ...context.clock,
        after: (ms, work) =>
          ms === 500 ? { cancel: () => undefined } : context.clock.after(ms, work),
      },
    });
    fixture.pass(AHEAD);
    await sender.tick();
    fixture.pass(-AHEAD);
    status = 201;
    await sender.tick();
    await sender.stop();
    expect(gateway.asked).toHaveLength(2);
  });
});
