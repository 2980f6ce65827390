import * as v from 'valibot';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '../app-context.ts';
import { toSourceError, type Send, type Signer } from './client.ts';
import { SourceError } from './source-error.ts';
import { parseStorable } from '#contract/stored-text.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { systemMessages as t } from './messages.en.ts';

const TokenSchema = v.object({
  access_token: v.pipe(v.string(), v.minLength(1), v.maxLength(20_000)),
  refresh_token: v.optional(v.nullable(v.string())),
  expires_in: v.optional(v.nullable(v.number())),
});
/** A token is not used in its last 30 seconds. */
const SPARE_MS: Ms = 30_000;

export interface TokenWay {
  /** Relative to the base of the API, or to the root if it begins with a slash. */
  readonly path: string;
  /**
   * The form that signs in, and the one that renews; `renew` is null if tokens cannot be renewed.
   */
  readonly begin: Readonly<Record<string, string>>;
  readonly renew: ((refreshToken: string) => Readonly<Record<string, string>>) | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Bearer tokens in memory only. They are renewed shortly before they expire or when one is refused;
 * if the renewal is refused, it signs in again. Concurrent requests share one renewal.
 */
export function tokenSigner(
  { clock }: AppContext,
  host: string,
  { path, begin, renew, headers = {} }: TokenWay,
): (send: Send) => Signer {
  return (send) => {
    let token: {
      readonly access: string;
      readonly refresh: string | null;
      readonly until: Ms;
    } | null = null;
    let getting: Promise<string> | null = null;

    async function ask(form: Readonly<Record<string, string>>): Promise<string> {
      const answer = await send(path, {
        method: 'POST',
        headers: { accept: 'application/json', ...headers },
        body: new URLSearchParams(form),
      });
      if (answer.status === 400 || answer.status === 401)
        throw new SourceError('refused', t.credentials({ host }));
      if (answer.status !== 200 && answer.status !== 201)
        throw await toSourceError(answer, host, clock.now());
      const read = v.safeParse(TokenSchema, getJson(await answer.text()));
      if (!read.success) throw new SourceError('failed', t.noToken({ host }));
      const { access_token: access, refresh_token: refresh, expires_in: seconds } = read.output;
      token = {
        access,
        refresh: refresh ?? null,
        until: clock.now() + (seconds == null ? HOUR_MS : seconds * 1000),
      };
      return access;
    }

    async function fresh(): Promise<string> {
      const refresh = token?.refresh ?? null;
      token = null;
      if (refresh !== null && renew !== null) {
        try {
          return await ask(renew(refresh));
        } catch (error) {
          // The refresh token was used or has expired, so it signs in with the password.
          if (!(error instanceof SourceError) || error.kind !== 'refused') throw error;
        }
      }
      return ask(begin);
    }

    return {
      async headers() {
        const now = clock.now();
        if (token !== null && now < token.until - SPARE_MS)
          return { ...headers, authorization: `Bearer ${token.access}` };
        getting ??= fresh().finally(() => {
          getting = null;
        });
        return { ...headers, authorization: `Bearer ${await getting}` };
      },
      refused() {
        if (token !== null) token = { ...token, until: 0 };
        return true;
      },
    };
  };
}

/** An API key that is sent unchanged. */
export const keySigner =
  (key: string): (() => Signer) =>
  () => ({
    headers: () => Promise.resolve({ authorization: `Bearer ${key}` }),
    refused: () => false,
  });

function getJson(text: string): unknown {
  try {
    return parseStorable(text);
  } catch {
    return null;
  }
}
