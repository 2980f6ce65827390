import type { TakenOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { Ask } from '../http/handler.ts';
import { checkPassword } from '../passwords.ts';
import type { TenantTx } from '../store/store.ts';
import { usernameKey } from '../usernames.ts';
import type { World } from '../world.ts';
import { COOKIE, cookieOf, DEVICE_COOKIE } from './cookie.ts';
import { forgetDevice, keepDevice, knownDevice } from './devices.ts';
import { endSession, openSession } from './sessions.ts';
import type { Opened } from './sessions.ts';
import { countTry, DEVICE_RULE, deviceBucket, forgive, giveBack, strangersBuckets } from './throttle.ts';
import type { Tried } from './throttle.ts';
import { hashOf, readToken } from './tokens.ts';

const WRONG: Failure = { kind: 'wrong-credentials', message: MESSAGES.wrongCredentials };
const tooMany = (retryAfterMs: Ms): Failure => ({ kind: 'too-many', message: MESSAGES.tooManyTries, retryAfterMs });

/** `device`: the token under which this device is known from now on; null where it is not to be. */
export interface SignedIn { readonly opened: Opened; readonly device: string | null }

/**
 * A name and a password for a session. An unknown name takes the same steps, the same time and the same answer as a wrong password
 * (G36); a try that comes too soon is not looked at, right or wrong. Who guesses slows and closes an account for devices on which its user
 * has not signed in before, and for no other (G37).
 */
export async function signIn(world: World, key: Buffer, input: TakenOf<'loginDb'>, ask: Ask): Promise<Result<SignedIn>> {
  const { tenant, now, ip, request } = ask;
  const name = usernameKey(input.username);
  const strangers = strangersBuckets(name, ip);
  const shown = readToken(cookieOf(request.headers, DEVICE_COOKIE) ?? '');
  const found = await world.store.tenant(tenant, async (tx) => {
    const person = await tx.sql.selectFrom('person').select(['id', 'password_hash']).where('tenant_id', '=', tenant).where('username_key', '=', name).executeTakeFirst();
    const device = shown && await knownDevice(tx, shown, person?.id, now);
    return { person, device, ...await countedTry(tx, device && person ? deviceBucket(device, person.id) : null, strangers, now) };
  });
  const { person, device, tried, outcome } = found;
  if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
  const checking = checkPassword(person?.password_hash ?? null, input.password);
  if (checking === null) {
    await world.store.tenant(tenant, (tx) => giveBack(tx, tried, now));
    return failed(tooMany(1_000));
  }
  if (!await checking || !person) {
    world.log.warn('a sign-in was refused', { tenant, ip });
    if (outcome.last && person) world.log.warn('too many passwords were wrong in a row: no more are taken', { tenant, user: person.id, device: device === null ? 'unknown' : 'known' });
    return failed(WRONG);
  }
  return world.store.tenant(tenant, async (tx): Promise<Result<SignedIn>> => {
    const user = (await tx.rows('user', [person.id])).get(person.id);
    if (!user || user.deletedAt !== null) return failed(WRONG);
    await forgive(tx, device === null ? tried : [deviceBucket(device, person.id), ...tried.filter((one) => one.rule !== DEVICE_RULE)], strangers[0], now);
    const former = readToken(cookieOf(request.headers, COOKIE) ?? '');
    if (former) await endFormer(tx, former.session, hashOf(former), now);
    const agent = (request.headers.get('user-agent') ?? '').slice(0, 200);
    const opened = await openSession(tx, world, key, { userId: person.id, now, ip, agent });
    // Known unless the person says that it is not theirs: all that it gives is a count of its own.
    if (input.rememberComputer !== false) return ok({ opened, device: await keepDevice(tx, world, shown, person.id, now) });
    if (device !== null) await forgetDevice(tx, device, person.id);
    return ok({ opened, device: null });
  });
}

/** Counted on the known device alone; where that has used up its own row, like any other's. */
async function countedTry(tx: TenantTx, own: Tried | null, strangers: readonly Tried[], now: Ms): Promise<{ readonly tried: readonly Tried[]; readonly outcome: Awaited<ReturnType<typeof countTry>> }> {
  if (own !== null) {
    const outcome = await countTry(tx, [own], now);
    if (!('closed' in outcome) || !outcome.closed) return { tried: [own], outcome };
  }
  return { tried: strangers, outcome: await countTry(tx, strangers, now) };
}

/** Signing in again on a device ends the session that its cookie still opened (A9). */
async function endFormer(tx: TenantTx, id: string, hash: string, now: Ms): Promise<void> {
  const row = await tx.sql.selectFrom('session').select('refresh_hash').where('tenant_id', '=', tx.tenant).where('id', '=', id).executeTakeFirst();
  if (row?.refresh_hash === hash) await endSession(tx, id, now);
}
