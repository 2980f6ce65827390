import type { Ability, Role } from '#contract/abilities.ts';
import type { ApiKey, ApiKeys } from '#contract/auth/api-key-calls.ts';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ask, provider, user } from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { signedIn } from './captured-mail.ts';
import type { In } from './captured-mail.ts';

/** Users with API keys, and what they ask with them. */

export interface Place extends In {
  readonly host: string;
  readonly tenant: string;
}
export const DAY = 86_400_000;
export const said = ({ status, body }: Answer): unknown[] => [
  status,
  body.error?.kind,
  body.message,
];
export const NO_KEY = [401, 'signed-out', MESSAGES.signedOut];

/** What a test does on its server. `at`: the server of the test file, once there is one. */
export function keysOn(at: () => { readonly ground: Fixture; readonly app: App }) {
  async function place(
    roles: readonly Role[] = ['admin', 'operator'],
    more: object = {},
  ): Promise<Place> {
    const { ground: fixture, app } = at();
    const { host, tenant } = await provider(fixture);
    await user(fixture, tenant, { roles: [...roles], ...more });
    return { host, tenant, ...(await signedIn(app, host)) };
  }
  const loadKeys = ({ host, token, id }: Place) =>
    ask<ApiKeys>(at().app, `/api/v1/profile/${id}/api-keys`, { host, token });
  const make = ({ host, token, id }: Place, more: object = {}, of = id) =>
    ask<OutputOf<'createApiKey'>>(at().app, `/api/v1/profile/${of}/api-keys`, {
      method: 'POST',
      host,
      token,
      body: {
        name: 'Nightly export',
        abilities: ['monitoring.daily-checks'],
        until: at().ground.context.clock.now() + 30 * DAY,
        ...more,
      },
    });
  async function secretFor(
    at: Place,
    abilities: readonly Ability[],
    more: object = {},
  ): Promise<{ readonly secret: string; readonly key: ApiKey }> {
    const { status, body, text } = await make(at, { abilities, ...more });
    if (status !== 200) throw new Error(text);
    return body.data;
  }
  const by = (host: string, secret: string, path: string, method = 'GET', body?: unknown) =>
    ask(at().app, `/api/v1/${path}`, {
      host,
      token: secret,
      method,
      ...(body !== undefined && { body }),
    });
  const self = ({ host }: { readonly host: string }, secret: string) =>
    ask<OutputOf<'readOwnApiKey'>>(at().app, '/api/v1/api-key', { host, token: secret });
  return { place, keysOf: loadKeys, make, secretFor, by, self };
}
