import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/**
 * Requests a passkey assertion from the browser with the server's options (JSON). Returns the
 * response as JSON for the server, or null if the user declined or cancelled, or the prompt timed
 * out.
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

/** Creates a passkey in the browser. `known`: this device already has a passkey of the user. */
export async function makePasskey(
  options: string,
): Promise<
  | { readonly kind: 'made'; readonly response: string }
  | { readonly kind: 'known' }
  | { readonly kind: 'none' }
> {
  const { startRegistration, WebAuthnError } = await import('@simplewebauthn/browser');
  try {
    return {
      kind: 'made',
      response: JSON.stringify(
        await startRegistration({
          optionsJSON: JSON.parse(options) as PublicKeyCredentialCreationOptionsJSON,
        }),
      ),
    };
  } catch (error) {
    return {
      kind:
        error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
          ? 'known'
          : 'none',
    };
  }
}

/** Returns whether this browser supports passkeys. */
export const knowsPasskeys = (): boolean => typeof PublicKeyCredential === 'function';
