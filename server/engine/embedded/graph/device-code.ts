import {
  Configuration,
  customFetch,
  genericGrantRequest,
  initiateDeviceAuthorization,
  None,
  ResponseBodyError,
} from 'openid-client';
import type { Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { loginFetch, signInFailure } from './sign-in.ts';
import type { LoginPorts } from './sign-in.ts';
import { graphMessages as t } from './messages.en.ts';
import { failed } from '../../result.ts';

/** Who asks, and for what. `directory`: a tenant, or `organizations` while it isn't known. */
export interface DeviceCodeClient {
  readonly directory: string;
  readonly applicationId: string;
  /** Names of Graph's permissions, or `.default`. */
  readonly permissions: readonly string[];
}
/** `deviceCode` is a secret: only `userCode` is shown. */
export interface RequestedCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUrl: string;
  readonly expiresAt: Ms;
  readonly intervalMs: Ms;
}
export type CheckedCode =
  | { readonly state: 'pending' | 'slow-down' | 'declined' | 'expired' }
  | {
      readonly state: 'granted';
      readonly accessToken: string;
      readonly refreshToken: string | null;
      readonly expiresAt: Ms;
    };

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8628: the interval if the response names none. */
const INTERVAL_SECONDS = 5;
const TOKEN_SECONDS = 3_599;
/** Where people enter codes, besides the login hosts. */
const CODE_HOSTS = new Set(['microsoft.com', 'www.microsoft.com', 'aka.ms']);

/** Requests a code that a person confirms on Microsoft's page (RFC 8628). */
export async function requestDeviceCode(
  ports: LoginPorts,
  client: DeviceCodeClient,
): Reply<RequestedCode> {
  const { cloud, clock } = ports;
  try {
    const scopes = client.permissions.map((name) => `${cloud.graph}/${name}`);
    const answer = await initiateDeviceAuthorization(getConfiguration(ports, client), {
      scope: [...scopes, 'offline_access', 'openid'].join(' '),
    });
    const page = URL.canParse(answer.verification_uri) ? new URL(answer.verification_uri) : null;
    const isOwn =
      page?.protocol === 'https:' && (CODE_HOSTS.has(page.host) || page.origin === cloud.login);
    if (!isOwn) return failed('refused', t.foreignLink);
    return {
      ok: true,
      value: {
        deviceCode: answer.device_code,
        userCode: answer.user_code,
        verificationUrl: answer.verification_uri,
        expiresAt: clock.now() + answer.expires_in * 1_000,
        intervalMs: (answer.interval ?? INTERVAL_SECONDS) * 1_000,
      },
    };
  } catch (error) {
    return { ok: false, error: signInFailure(error) };
  }
}

/** Asks once whether a person has confirmed the code. The caller waits between two checks. */
export async function checkDeviceCode(
  ports: LoginPorts,
  client: DeviceCodeClient,
  deviceCode: string,
): Reply<CheckedCode> {
  try {
    const answer = await genericGrantRequest(getConfiguration(ports, client), GRANT, {
      device_code: deviceCode,
    });
    const seconds = answer.expires_in ?? TOKEN_SECONDS;
    return {
      ok: true,
      value: {
        state: 'granted',
        accessToken: answer.access_token,
        refreshToken: answer.refresh_token ?? null,
        expiresAt: ports.clock.now() + seconds * 1_000,
      },
    };
  } catch (error) {
    const state = error instanceof ResponseBodyError ? STATES[error.error] : undefined;
    return state ? { ok: true, value: { state } } : { ok: false, error: signInFailure(error) };
  }
}

/** RFC 8628, section 3.5; Entra says `authorization_declined` and `bad_verification_code` too. */
const STATES: Readonly<Record<string, 'pending' | 'slow-down' | 'declined' | 'expired'>> = {
  authorization_pending: 'pending',
  slow_down: 'slow-down',
  access_denied: 'declined',
  authorization_declined: 'declined',
  expired_token: 'expired',
  bad_verification_code: 'expired',
  code_expired: 'expired',
};

function getConfiguration(ports: LoginPorts, client: DeviceCodeClient): Configuration {
  const base = `${ports.cloud.login}/${encodeURIComponent(client.directory)}`;
  const config = new Configuration(
    {
      issuer: `${base}/v2.0`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
      device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
    },
    client.applicationId,
    {},
    None(),
  );
  config[customFetch] = loginFetch(ports);
  return config;
}
