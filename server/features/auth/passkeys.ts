import { isIP } from 'node:net';
import * as v from 'valibot';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { parseStorable } from '#contract/stored-text.ts';

/**
 * COSE algorithm numbers of Ed25519, ES256 and RS256. Every authenticator supports one of them, and
 * none needs an experimental runtime feature.
 */
const ALGORITHMS = [-8, -7, -257];
/** The maximum number of passkeys for each user. */
export const MAX_PASSKEYS = 20;

/** Browsers use passkeys only on host names, not on IP addresses. */
export const hasName = (host: string): boolean =>
  isIP(host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')) === 0;

/**
 * Returns the relying party for a host: a passkey of another host is not accepted. Plain http is
 * allowed for this machine only.
 */
export function relyingOn(host: string): {
  readonly rpID: string;
  readonly origins: readonly string[];
} {
  const rpID = host.replace(/:\d+$/, '');
  return {
    rpID,
    origins: [`https://${host}`, ...(/(^|\.)localhost$/.test(rpID) ? [`http://${host}`] : [])],
  };
}

/** The library is loaded when it is needed. */
const loadLibrary = () => import('@simplewebauthn/server');

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'));
/** The user handle that authenticators store. It contains no personal data. */
const getUserHandle = (user: UserId) =>
  Uint8Array.from(Buffer.from(user.replaceAll('-', ''), 'hex'));

interface StoredPasskey {
  readonly id: string;
  readonly transports: readonly string[];
}
const getCredentials = (stored: readonly StoredPasskey[]) =>
  stored.map(({ id, transports }) => ({ id, transports: [...transports] }));
export const loadPasskeys = ({ tenant, sql }: TenantTx, user: UserId) =>
  sql
    .selectFrom('passkey')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .orderBy('made_at')
    .orderBy('id')
    .execute();

/**
 * Returns the options of a browser's passkey request. `challenge` is base64url. With `user` null
 * any user with a passkey for this site can answer, with user verification.
 */
export async function requestOptions(
  tx: TenantTx,
  host: string,
  challenge: string,
  user: UserId | null,
): Promise<string> {
  const { generateAuthenticationOptions } = await loadLibrary();
  return JSON.stringify(
    await generateAuthenticationOptions({
      rpID: relyingOn(host).rpID,
      challenge: bytes(challenge),
      timeout: LIMITS.attemptMs,
      userVerification: user === null ? 'required' : 'preferred',
      ...(user !== null && { allowCredentials: getCredentials(await loadPasskeys(tx, user)) }),
    }),
  );
}

export async function creationOptions(
  tx: TenantTx,
  host: string,
  challenge: string,
  of: {
    readonly user: UserId;
    readonly username: string;
    readonly name: string;
    readonly provider: string;
  },
): Promise<string> {
  const { generateRegistrationOptions } = await loadLibrary();
  return JSON.stringify(
    await generateRegistrationOptions({
      rpID: relyingOn(host).rpID,
      rpName: of.provider,
      userID: getUserHandle(of.user),
      userName: of.username,
      userDisplayName: of.name,
      challenge: bytes(challenge),
      timeout: LIMITS.attemptMs,
      excludeCredentials: getCredentials(await loadPasskeys(tx, of.user)),
      supportedAlgorithmIDs: ALGORITHMS,
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    }),
  );
}

const text = v.pipe(v.string(), v.maxLength(16_000));
const common = { id: text, rawId: text, type: v.literal('public-key') };
const AssertionSchema = v.object({
  ...common,
  response: v.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: v.optional(v.nullable(text)),
  }),
});
const AttestationSchema = v.object({
  ...common,
  response: v.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: v.optional(v.array(v.pipe(v.string(), v.maxLength(32)))),
  }),
});
const ClientDataSchema = v.object({ challenge: text });

function parsed<S extends v.GenericSchema>(schema: S, json: string): v.InferOutput<S> | null {
  try {
    const outcome = v.safeParse(schema, parseStorable(json));
    return outcome.success ? outcome.output : null;
  } catch {
    return null;
  }
}

/**
 * Returns the challenge that a browser's response claims to have signed, base64url; null if there
 * is none. The caller still has to verify the response.
 */
export function challengeIn(response: string): string | null {
  const outer = parsed(v.object({ response: v.object({ clientDataJSON: text }) }), response);
  return (
    outer &&
    (parsed(
      ClientDataSchema,
      Buffer.from(outer.response.clientDataJSON, 'base64url').toString('utf8'),
    )?.challenge ??
      null)
  );
}

export interface ChallengeQuery {
  readonly host: string;
  readonly challenge: string;
  readonly response: string;
  readonly now: Ms;
}
/** `verified`: the device verified its user, so the passkey counts as two factors. */
export interface ShownPasskey {
  readonly user: UserId;
  readonly verified: boolean;
}

/**
 * Returns the passkey that signed the challenge for this host with an increased counter; null if
 * there is none, or it is not `user`'s. Without a `user` the device must have verified its user,
 * and the user handle must be the key's.
 */
export async function usePasskey(
  { tenant, sql }: TenantTx,
  context: AppContext,
  { host, challenge, response, now }: ChallengeQuery,
  user: UserId | null,
): Promise<ShownPasskey | null> {
  const shown = parsed(AssertionSchema, response);
  if (!shown) return null;
  const row = await sql
    .selectFrom('passkey')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', shown.id)
    .forUpdate()
    .executeTakeFirst();
  if (!row || (user !== null && row.user_id !== user)) return null;
  const { userHandle, ...session } = shown.response;
  if (user === null && userHandle !== Buffer.from(getUserHandle(row.user_id)).toString('base64url'))
    return null;
  const { rpID, origins } = relyingOn(host);
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const {
      verified,
      authenticationInfo: { newCounter, userVerified },
    } = await verifyAuthenticationResponse({
      response: {
        id: shown.id,
        rawId: shown.rawId,
        type: shown.type,
        clientExtensionResults: {},
        response: session,
      },
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpID,
      requireUserVerification: user === null,
      credential: { id: row.id, publicKey: bytes(row.public_key), counter: row.counter },
    });
    if (!verified) return null;
    await sql
      .updateTable('passkey')
      .set({ counter: newCounter, used_at: now })
      .where('tenant_id', '=', tenant)
      .where('id', '=', row.id)
      .execute();
    return { user: row.user_id, verified: userVerified };
  } catch {
    // The library's message contains the input, so it is not logged.
    context.log.warn('a passkey was refused', { tenant, user: row.user_id });
    return null;
  }
}

export interface NewPasskey {
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/**
 * Returns the passkey that a browser created for the challenge at this host; null if the response
 * is not valid.
 */
export async function readNewPasskey({
  host,
  challenge,
  response,
}: ChallengeQuery): Promise<NewPasskey | null> {
  const shown = parsed(AttestationSchema, response);
  if (!shown) return null;
  const { rpID, origins } = relyingOn(host);
  const { transports = [], ...made } = shown.response;
  const { verifyRegistrationResponse } = await loadLibrary();
  try {
    const outcome = await verifyRegistrationResponse({
      response: {
        id: shown.id,
        rawId: shown.rawId,
        type: shown.type,
        clientExtensionResults: {},
        response: made,
      },
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpID,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!outcome.verified) return null;
    const { id, publicKey, counter } = outcome.registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  } catch {
    return null;
  }
}
