import type { ParsedInputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { UserDirectory } from './directory/directory.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { releaseSlotDuring } from '../../platform/http/concurrency.ts';
import { checkPassword } from '../../platform/crypto/passwords.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { usernameKey } from '../../platform/auth/usernames.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { countedTry } from './attempt-rate-limit.ts';
import { knownDevice } from './devices.ts';
import { endForDirectory } from './directory/deprovision.ts';
import { getNeededStep, ownedBy, loadPolicy } from './policy.ts';
import { openHere, shownDevice, skipsCode } from './open-session.ts';
import type { SignedIn } from './open-session.ts';
import { beginStep } from './sign-in-step.ts';
import type { Further } from './sign-in-step.ts';
import {
  DEVICE_RULE,
  deviceBucket,
  forgive,
  giveBack,
  strangersBuckets,
  tooMany,
} from './rate-limit.ts';

const WRONG: Failure = { kind: 'wrong-credentials', message: MESSAGES.wrongCredentials };
const UNREACHABLE: Failure = { kind: 'busy', message: MESSAGES.noDirectory, retryAfterMs: 5_000 };

/**
 * A directory answers a little later for a name that exists, so no refusal is sent before this
 * time.
 */
const DIRECTORY_MS: Ms = 300;

/** Returns the provider's directory; null if it has none. */
export type FindDirectory = (tx: TenantTx, context: AppContext) => Promise<UserDirectory | null>;

/**
 * The outcome of a password check. `change`: correct, but must be changed first. `locked`: the
 * directory does not check it now. `disabled`: the account is disabled. `later`: too many checks
 * are waiting.
 */
export type Proved = 'right' | 'change' | 'wrong' | 'locked' | 'disabled' | 'later' | 'unreachable';

/** Checks the stored hash. It always computes one hash (G36). */
export async function provedByHash(stored: string | null, password: string): Promise<Proved> {
  const checking = checkPassword(stored, password);
  if (checking === null) return 'later';
  return (await checking) ? 'right' : 'wrong';
}

/**
 * Checks the directory, which returns `must-change` and `expired` for the correct password only.
 */
export async function provedByDirectory(
  directory: UserDirectory | null,
  username: string,
  password: string,
): Promise<Proved> {
  if (directory === null) return 'unreachable';
  const { kind } = await releaseSlotDuring(() => directory.bind(username, password));
  if (kind === 'must-change' || kind === 'expired') return 'change';
  return kind === 'not-now' ? 'locked' : kind;
}

/**
 * Signs in with a name and a password: returns a session or the next step. An unknown name takes
 * the same steps and time and gets the same response as a wrong password (G36). A try that comes
 * too soon is not checked. Guessing slows and locks an account only for devices on which its user
 * has not signed in before (G37). `by` says who stores the password; users of the other kind do not
 * exist here.
 */
export async function signIn(
  context: AppContext,
  key: Buffer,
  by: 'db' | 'ad',
  find: FindDirectory,
  input: ParsedInputOf<'loginDb'>,
  ctx: RequestContext,
): Promise<Result<SignedIn | Further>> {
  const { tenant, now, ip } = ctx;
  const name = usernameKey(input.username);
  const strangers = strangersBuckets(name, ip);
  const shown = shownDevice(ctx);
  const found = await context.store.tenant(tenant, async (tx) => {
    const row = await tx.sql
      .selectFrom('person')
      .select(['id', 'password_hash', 'auth'])
      .where('tenant_id', '=', tenant)
      .where('username_key', '=', name)
      .executeTakeFirst();
    const person = row?.auth === by ? row : undefined;
    const device = shown && (await knownDevice(tx, shown, person?.id, now));
    const directory = by === 'ad' ? await find(tx, context) : null;
    return {
      person,
      device,
      directory,
      ...(await countedTry(
        tx,
        device && person ? deviceBucket(device, person.id) : null,
        strangers,
        now,
      )),
    };
  });
  const { person, device, tried, outcome } = found;
  if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
  // The directory is also queried for names that have no user here, so that the time does not
  // reveal which names exist. If the name is unknown here, a different name is sent, so that nobody
  // can lock other accounts.
  const slow =
    by === 'ad'
      ? new Promise<void>((resolve) => {
          context.clock.after(DIRECTORY_MS, resolve);
        })
      : null;
  const lookedUpName = person
    ? input.username.trim()
    : `nobody-${Buffer.from(context.chance.bytes(6)).toString('hex')}`;
  const proved =
    by === 'db'
      ? await provedByHash(person?.password_hash ?? null, input.password)
      : await provedByDirectory(found.directory, lookedUpName, input.password);
  if (proved === 'later' || proved === 'unreachable') {
    await context.store.tenant(tenant, (tx) => giveBack(tx, tried, now));
    return failed(proved === 'later' ? tooMany(1_000) : UNREACHABLE);
  }
  const right = proved === 'right' || proved === 'change';
  const isLocked = proved === 'locked' || proved === 'disabled';
  if (person && proved === 'disabled') await endForDirectory(context, ctx, person.id, 'disabled');
  if (!right) await slow;
  return context.store.tenant(tenant, async (tx): Promise<Result<SignedIn | Further>> => {
    const user = person && right ? (await tx.rows('user', [person.id])).get(person.id) : undefined;
    if (!person || !user || user.deletedAt !== null) {
      await audit(tx, context, ctx, {
        what: 'sign-in.refused',
        user: person?.id ?? null,
        detail: { step: 'password', device: device === null ? 'unknown' : 'known' },
      });
      context.log.warn('a sign-in was refused', { tenant, ip });
      if (outcome.last && person)
        context.log.warn('too many passwords were wrong in a row: no more are taken', {
          tenant,
          user: person.id,
          device: device === null ? 'unknown' : 'known',
        });
      // Only a device on which the user has signed in before learns that the account is locked
      // (G36).
      return failed(
        isLocked && device !== null ? { ...WRONG, message: MESSAGES.accountLocked } : WRONG,
      );
    }
    await forgive(
      tx,
      device === null
        ? tried
        : [deviceBucket(device, person.id), ...tried.filter((one) => one.rule !== DEVICE_RULE)],
      strangers[0],
      now,
    );
    if (proved === 'change')
      await tx.sql
        .updateTable('person')
        .set({ password_reset: true })
        .where('tenant_id', '=', tenant)
        .where('id', '=', person.id)
        .execute();
    return goOn(
      tx,
      context,
      key,
      ctx,
      person.id,
      by === 'db' ? 'password' : 'directory',
      input.rememberComputer,
      device,
    );
  });
}

/**
 * Continues after a correct password: opens a session or begins the step that the provider and the
 * user require.
 */
async function goOn(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: RequestContext,
  userId: UserId,
  first: 'password' | 'directory',
  remember: boolean | undefined,
  known: string | null,
): Promise<Result<SignedIn | Further>> {
  const owned = await ownedBy(tx, userId);
  const policy = await loadPolicy(tx);
  const need = getNeededStep(policy, owned, await skipsCode(tx, known, userId, ctx.now));
  if (need.step === 'none')
    return ok(
      await openHere(tx, context, key, ctx, {
        userId,
        how: first,
        skippedSecondFactor: getNeededStep(policy, owned, false).step !== 'none',
        remember,
        known,
      }),
    );
  return beginStep(tx, context, key, ctx, userId, need, owned, {
    first,
    ...(remember !== undefined && { remember }),
  });
}
