import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { signInWaysMessages as t } from './sign-in-ways.messages.en.ts';

/** Returns whether this browser supports passkeys. */
export const knowsPasskeys = (): boolean => 'PublicKeyCredential' in globalThis;

const NOT_SHOWN: Failure = {
  kind: 'conflict',
  message: t.noPasskeyUsed,
};

/**
 * Requests a passkey assertion with the options of a step. Returns the response for the server, or
 * a failure if no passkey is available or the user cancels.
 */
export async function showPasskey(options: string | null): Promise<Result<string>> {
  if (options === null) return { ok: false, failure: NOT_SHOWN };
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    // The options come from the server's own WebAuthn library.
    const optionsJSON = JSON.parse(options) as PublicKeyCredentialRequestOptionsJSON;
    return { ok: true, value: JSON.stringify(await startAuthentication({ optionsJSON })) };
  } catch (error) {
    if (error instanceof Error) return { ok: false, failure: NOT_SHOWN };
    throw error;
  }
}
