import type { Ms } from '#contract/ids.ts';
import { type Details, json, type Query } from '#tests/server/outbound/listen.ts';
import type { Vb365Version } from './state.ts';

export const USER = { name: 'BACKUP\\daybook', secret: 'correct horse' } as const;

/** The sign-in of a server: an access token for `lifeMs`, and a refresh token that is used once. */
export class TokenOffice {
  readonly #now: () => Ms;
  readonly #access = new Map<string, { readonly until: Ms; readonly cookie: string | null }>();
  readonly #refresh = new Set<string>();
  /** Accounts with their passwords. */
  readonly users = new Map<string, string>([[USER.name, USER.secret]]);
  #made = 0;
  lifeMs: Ms = 3_600_000;
  signIns = 0;
  renewals = 0;

  constructor(now: () => Ms) {
    this.#now = now;
  }

  /** Forgets all tokens, as a restarted service does. */
  forgetAll(): void {
    this.#access.clear();
    this.#refresh.clear();
  }

  isValid({ headers }: Query): boolean {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const known = this.#access.get(token);
    if (known === undefined || known.until <= this.#now()) return false;
    // Without the switch, the token counts only beside the cookie that came with it.
    return known.cookie === null || (headers.cookie ?? '').includes(known.cookie);
  }

  /** Answers `POST token`. */
  answer({ body, headers }: Query, version: Vb365Version): Details {
    if (!(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'))
      return refuse('The media type is not supported.', 415);
    const form = new URLSearchParams(body);
    const grant = form.get('grant_type');
    const isGood =
      grant === 'refresh_token'
        ? this.#refresh.delete(form.get('refresh_token') ?? '')
        : grant === 'password' &&
          form.get('password') !== null &&
          this.users.get(form.get('username') ?? '') === form.get('password');
    if (!isGood)
      return grant === 'refresh_token'
        ? json({ error: 'invalid_grant', error_description: 'The refresh token has expired.' }, 400)
        : refuse('Incorrect user name or password.', 401);
    if (grant === 'refresh_token') this.renewals += 1;
    else this.signIns += 1;
    this.#made += 1;
    const [access, refresh] = [`access-${this.#made}`, `refresh-${this.#made}`];
    const cookie =
      form.get('disable_antiforgery_token') === 'true' ? null : `antiforgery=${this.#made}`;
    const now = this.#now();
    this.#access.set(access, { until: now + this.lifeMs, cookie });
    this.#refresh.add(refresh);
    return {
      ...json({
        'access_token': access,
        'refresh_token': refresh,
        'token_type': 'bearer',
        'expires_in': Math.floor(this.lifeMs / 1_000),
        ...(version === 'v7' && { userName: USER.name }),
        '.issued': new Date(now).toISOString(),
        '.expires': new Date(now + this.lifeMs).toISOString(),
      }),
      ...(cookie !== null && {
        headers: { 'content-type': 'application/json', 'set-cookie': cookie },
      }),
    };
  }
}

/** `code`: only version 8 has words for most errors. */
export const refuse = (message: string, status: number, code?: string): Details =>
  json({ message, ...(code !== undefined && { errorCode: code }) }, status);
