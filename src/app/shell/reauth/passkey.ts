import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/**
 * Asks the browser for a passkey with the server's options (JSON). Answers JSON for the server;
 * null where it was refused, taken too long or cancelled.
 */
export async function askPasskey(options: string): Promise<string | null> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    return JSON.stringify(
      await startAuthentication({
        optionsJSON: JSON.parse(options) as PublicKeyCredentialRequestOptionsJSON,
      }),
    );
  } catch {
    return null;
  }
}

/** Has the browser make a passkey. `known`: this device has one of the user's already. */
export async function makePasskey(
  options: string,
): Promise<
  | { readonly is: 'made'; readonly response: string }
  | { readonly is: 'known' }
  | { readonly is: 'none' }
> {
  const { startRegistration, WebAuthnError } = await import('@simplewebauthn/browser');
  try {
    return {
      is: 'made',
      response: JSON.stringify(
        await startRegistration({
          optionsJSON: JSON.parse(options) as PublicKeyCredentialCreationOptionsJSON,
        }),
      ),
    };
  } catch (fault) {
    return {
      is:
        fault instanceof WebAuthnError && fault.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
          ? 'known'
          : 'none',
    };
  }
}

/** Whether this browser knows passkeys at all. */
export const knowsPasskeys = (): boolean => typeof PublicKeyCredential === 'function';
