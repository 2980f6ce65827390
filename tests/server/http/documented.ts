import { request } from 'node:http';
import { allHandlers } from '#server/handlers.ts';
import { listen } from '#server/platform/http/listen.ts';
import type { Listening } from '#server/platform/http/listen.ts';
import { makeCompany } from '#server/features/users/create-user.ts';
import type { Role } from '#contract/abilities.ts';
import { getApp, PASSWORD, provider, user } from './fixtures.ts';
import type { Fixture } from './fixtures.ts';
import { missedRunTicks } from '../jobs/ticks.ts';

/**
 * What a documented field has to be. `moment`: the API's datetime. `null` and `empty`: it has no
 * value on purpose.
 */
export type Kind = 'text' | 'number' | 'flag' | 'moment' | 'null' | 'empty';
/** A list has one entry, for each of its elements. */
export interface Fields {
  readonly [name: string]: Shape;
}
export type Shape = Kind | Fields | readonly [Shape];

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const KINDS: { readonly [K in Kind]: (value: unknown) => boolean } = {
  text: (value) => typeof value === 'string' && value !== '',
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  moment: (value) => typeof value === 'string' && MOMENT.test(value),
  null: (value) => value === null,
  empty: (value) => Array.isArray(value) && value.length === 0,
};
const isKind = (shape: Shape): shape is Kind => typeof shape === 'string';
const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

/** Which fields are missing in a row, have a value in no row, or have one of another type. */
export function getErrors(values: readonly unknown[], shape: Shape, at = ''): string[] {
  const there = values.filter(
    (value) => value !== undefined && (value !== null || shape === 'null'),
  );
  if (there.length === 0) return [`${at}: no value`];
  if (isKind(shape))
    return there.every((value) => KINDS[shape](value)) ? [] : [`${at}: not a ${shape}`];
  if (isList(shape))
    return there.every((value) => Array.isArray(value))
      ? getErrors(there.flat(), shape[0], `${at}[]`)
      : [`${at}: not a list`];
  return Object.entries(shape).flatMap(([name, of]) => {
    const rows = there as readonly Readonly<Record<string, unknown>>[];
    const path = at === '' ? name : `${at}.${name}`;
    return rows.every((row) => name in row)
      ? getErrors(
          rows.map((row) => row[name]),
          of,
          path,
        )
      : [`${path}: missing`];
  });
}

export interface Said {
  readonly status: number;
  readonly success: boolean;
  readonly data: unknown;
  readonly text: string;
}
export type Person = (method: string, path: string, body?: unknown) => Promise<Said>;
export interface Portal {
  readonly server: Listening;
  readonly ground: Fixture;
  readonly tenant: string;
  /** Adds a user. */
  join(username: string, roles: readonly Role[]): Promise<string>;
  /** Signs a user in over HTTP. */
  enter(username: string): Promise<{ readonly ask: Person; readonly signedIn: unknown }>;
  /** Asks with an API key. */
  withKey(secret: string): Person;
  /** Sends as a source with its key; fails where another status comes. */
  report(secret: string, what: string, body: unknown, status?: number): Promise<void>;
  /** Looks for results that are due. */
  tick(): Promise<void>;
}

/** A provider below another, with one company, behind a server that listens on a port. */
export async function aPortal(fixture: Fixture): Promise<Portal> {
  const { tenant, host } = await provider(fixture);
  const { context } = fixture;
  const server = await listen(getApp(context, allHandlers(context)), 0, '127.0.0.1');
  const { tenant: master } = await provider(fixture);
  await context.store.system((sql) =>
    sql
      .updateTable('tenant_list')
      .set({ master_id: master })
      .where('tenant_id', '=', tenant)
      .execute(),
  );
  await makeCompany(context, tenant, 'Calloway Freight');
  const asking =
    (token: string | null): Person =>
    (method, path, body) =>
      send(server.port, host, token, method, path, body);
  const clock = missedRunTicks({
    ...context,
    store: { ...context.store, tenants: () => Promise.resolve([tenant]) },
  });
  return {
    server,
    ground: fixture,
    tenant,
    join: (username, roles) =>
      user(fixture, tenant, {
        username,
        name: `Name of ${username}`,
        email: `${username}@example.com`,
        roles,
      }),
    async enter(username) {
      const { data, status, text } = await asking(null)('POST', 'auth/login/db', {
        username,
        password: PASSWORD,
      });
      if (status !== 200) throw new Error(text);
      return { ask: asking((data as { token: string }).token), signedIn: data };
    },
    withKey: (secret) => asking(secret),
    async report(secret, what, body, status = 200) {
      const answer = await asking(secret)('POST', `ingest/${what}`, body);
      if (answer.status !== status) throw new Error(answer.text);
    },
    tick: async () => {
      await clock.tick(context.clock.now());
    },
  };
}

/** Over a socket, under the host name of the provider: `fetch` allows no such header. */
const send = (
  port: number,
  host: string,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<Said> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const query = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: `/api/v1/${path}`,
        headers: {
          host,
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(text !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          }),
        },
      },
      (answer) => {
        let got = '';
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            got += chunk;
          })
          .on('end', () => {
            const { success, data } = JSON.parse(got) as { success: boolean; data: unknown };
            resolve({ status: answer.statusCode ?? 0, success, data, text: got });
          })
          .on('error', reject);
      },
    );
    query.on('error', reject);
    query.end(text);
  });
