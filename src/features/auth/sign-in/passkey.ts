import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { signInWaysMessages as t } from './sign-in-ways.messages.en.ts';

/** Whether this browser knows passkeys at all. */
export const knowsPasskeys = (): boolean => 'PublicKeyCredential' in globalThis;

const NOT_SHOWN: Failure = {
  kind: 'conflict',
  message: t.noPasskeyUsed,
};

/**
 * Asks the browser with a step's `passkey`. Answers what the server takes; a passkey that is not
 * there, or not shown, is a failure.
 */
export async function showPasskey(options: string | null): Promise<Result<string>> {
  if (options === null) return { ok: false, failure: NOT_SHOWN };
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    // What the server's own library has made.
    const optionsJSON = JSON.parse(options) as PublicKeyCredentialRequestOptionsJSON;
    return { ok: true, value: JSON.stringify(await startAuthentication({ optionsJSON })) };
  } catch (fault) {
    if (fault instanceof Error) return { ok: false, failure: NOT_SHOWN };
    throw fault;
  }
}
