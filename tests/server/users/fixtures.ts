import type { Role } from '#contract/abilities.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Post } from '#server/platform/mail/queue-mail.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import { INSERTION_ORDER } from '../db/insertion-order.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';

/** A provider whose administrator of all is `root`, with a way to ask what stands behind. */
export interface People extends Pick<Office, 'tenant' | 'host' | 'app'> {
  readonly root: Asker;
  readonly as: (
    username: string,
    roles: readonly Role[],
    companies?: readonly CompanyN[] | null,
  ) => Promise<Asker>;
  readonly post: (company: 1 | 2, executions: readonly object[]) => Promise<void>;
  readonly idOf: (username: string) => Promise<string>;
  /** Mails and short messages on their way, oldest first. */
  readonly posted: () => Promise<Post[]>;
  /** What the record of accounts holds, oldest first. */
  readonly recorded: () => Promise<
    { what: string; user_id: string | null; actor_id: string | null }[]
  >;
  /** Types of the log after a number. */
  readonly logged: (after?: number) => Promise<string[]>;
}

export async function thePeople(fixture: Fixture): Promise<People> {
  const office = await anOffice(fixture);
  const { tenant } = office;
  const { context } = fixture;
  const root = await office.as('root', ['admin', 'super-admin']);
  return {
    tenant,
    host: office.host,
    app: office.app,
    root,
    as: (...named) => office.as(...named),
    post: (...details) => office.post(...details),
    idOf: (username) =>
      context.store.tenant(
        tenant,
        async ({ sql }) =>
          (
            await sql
              .selectFrom('person')
              .select('id')
              .where('tenant_id', '=', tenant)
              .where('username_key', '=', username.toLowerCase())
              .executeTakeFirstOrThrow()
          ).id,
        { readOnly: true },
      ),
    posted: () =>
      context.store.tenant(tenant, async (tx) => {
        const rows = await tx.sql
          .selectFrom('outgoing')
          .selectAll()
          .where('tenant_id', '=', tenant)
          .orderBy('made_at')
          .orderBy('id')
          .execute();
        return Promise.all(
          rows.map(
            async ({ id, sealed }) =>
              JSON.parse(
                await unseal(tx, context, { table: 'outgoing', column: 'sealed', row: id }, sealed),
              ) as Post,
          ),
        );
      }),
    recorded: () =>
      context.store.tenant(
        tenant,
        ({ sql }) =>
          sql
            .selectFrom('audit')
            .select(['what', 'user_id', 'actor_id'])
            .where('tenant_id', '=', tenant)
            .orderBy('at')
            .orderBy(INSERTION_ORDER)
            .execute(),
        { readOnly: true },
      ),
    logged: (after = 0) =>
      context.store.tenant(
        tenant,
        async (tx) => (await tx.eventsAfter(after, 1_000)).map(({ event }) => event.type),
        { readOnly: true },
      ),
  };
}

export const LONG = 'seven quiet lighthouses';
export const aUser = (username: string, more: object = {}): object => ({
  username,
  name: `Name of ${username}`,
  email: `${username}@example.net`,
  roles: ['operator'],
  companies: null,
  auth: 'db',
  password: LONG,
  ...more,
});

/** Status, kind and words of a refusal. */
export const said = ({ status, body }: Answer): readonly unknown[] => [
  status,
  body.error?.kind,
  body.message,
];
/** Its number: the API's own name for it begins with a line. */
export const idIn = (one: { readonly _id: string } | undefined): string => {
  const { _id: id } = one ?? { _id: '' };
  return id;
};

type Listed = OutputOf<'listUsers'>;
export const listUsers = async (who: Asker, query = ''): Promise<Listed> =>
  (await who<Listed>('GET', `monitoring/reporting/users${query}`)).body.data;

export const NOT_FOUND = [404, 'not-found', MESSAGES.notFound];
export const FORBIDDEN = [403, 'forbidden', MESSAGES.forbidden];
