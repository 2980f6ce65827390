import type { TakenOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { Ask } from '../http/handler.ts';
import { checkPassword } from '../passwords.ts';
import { usernameKey } from '../usernames.ts';
import type { World } from '../world.ts';
import { cookieOf } from './cookie.ts';
import { endSession, openSession } from './sessions.ts';
import type { Opened } from './sessions.ts';
import { bucketsOf, countTry, forgiveTry } from './throttle.ts';
import { hashOf, readToken } from './tokens.ts';

const WRONG: Failure = { kind: 'wrong-credentials', message: MESSAGES.wrongCredentials };
const tooMany = (retryAfterMs: Ms): Failure => ({ kind: 'too-many', message: MESSAGES.tooManyTries, retryAfterMs });

/**
 * A name and a password for a session. An unknown name takes the same steps, the same time and the same answer as a wrong password
 * (G36); a try that comes too soon is not looked at, right or wrong (G37).
 */
export async function signIn(world: World, key: Buffer, input: TakenOf<'loginDb'>, ask: Ask): Promise<Result<Opened>> {
  const { tenant, now, ip, request } = ask;
  const name = usernameKey(input.username);
  const tried = bucketsOf(name, ip);
  const found = await world.store.tenant(tenant, async (tx) => {
    const waitMs = await countTry(tx, tried, now);
    const person = await tx.sql.selectFrom('person').select(['id', 'password_hash']).where('tenant_id', '=', tenant).where('username_key', '=', name).executeTakeFirst();
    return { waitMs, person };
  });
  if (found.waitMs !== null) return failed(tooMany(found.waitMs));
  const { person } = found;
  const right = await checkPassword(person?.password_hash ?? null, input.password);
  if (right === null) return failed(tooMany(1_000));
  if (!right || !person) {
    world.log.warn('a sign-in was refused', { tenant, ip });
    return failed(WRONG);
  }
  return world.store.tenant(tenant, async (tx): Promise<Result<Opened>> => {
    const user = (await tx.rows('user', [person.id])).get(person.id);
    if (!user || user.deletedAt !== null) return failed(WRONG);
    await forgiveTry(tx, tried, now);
    const former = readToken(cookieOf(request.headers) ?? '');
    if (former) await endFormer(tx, former.session, hashOf(former), now);
    const agent = (request.headers.get('user-agent') ?? '').slice(0, 200);
    return ok(await openSession(tx, world, key, { userId: person.id, now, ip, agent }));
  });
}

/** Signing in again on a device ends the session that its cookie still opened (A9). */
async function endFormer(tx: Parameters<typeof endSession>[0], id: string, hash: string, now: Ms): Promise<void> {
  const row = await tx.sql.selectFrom('session').select('refresh_hash').where('tenant_id', '=', tx.tenant).where('id', '=', id).executeTakeFirst();
  if (row?.refresh_hash === hash) await endSession(tx, id, now);
}
