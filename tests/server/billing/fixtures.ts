import type { OutputOf } from '#contract/calls.ts';
import type { QuickBooksState } from '#contract/billing/quickbooks-calls.ts';
import { ask, login } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { APP } from './fakes/quickbooks.ts';
import type { Books, QuickBooksStandIn } from './fakes/quickbooks.ts';
import { invoiceTicks } from '../jobs/ticks.ts';

export const INVOICES = 'o365/quickbooks/invoices';
export const CONNECTION = 'o365/quickbooks/connection';
export const CUSTOMERS = 'o365/quickbooks/customers';
export type Listed = OutputOf<'listInvoices'>;

/** The one that was made last: each is read alone. */
const last = new WeakMap<Fixture, string>();

const good = async <T>(
  answer: Promise<{
    readonly status: number;
    readonly text: string;
    readonly body: { readonly data: T };
  }>,
): Promise<T> => {
  const { status, text, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body.data;
};

/** A provider that shows invoices, books at the stand-in, and Ada who keeps the connection. */
export interface Bureau {
  readonly office: Office;
  readonly ada: Asker;
  readonly books: Books;
  connect(): Promise<QuickBooksState>;
  read(): Promise<void>;
  list(query?: string, who?: Asker): Promise<Listed>;
  kept(): Promise<QuickBooksState>;
}

export async function show(fixture: Fixture, tenant: string, on: boolean): Promise<void> {
  await fixture.context.store.tenant(tenant, async ({ sql }) => {
    const { branding } = await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow();
    await sql
      .updateTable('provider')
      .set({
        branding: JSON.stringify({
          ...branding,
          features: { ...branding.features, invoice_automation: on },
        }),
      })
      .where('tenant_id', '=', tenant)
      .execute();
  });
}

export async function aBureau(fixture: Fixture, qb: QuickBooksStandIn): Promise<Bureau> {
  const office = await anOffice(fixture);
  const books = qb.books();
  await office.as('ada', ['admin']);
  let token = '';
  let at = 0;
  /** Signed in anew where the clock has gone on for longer than a session is good. */
  const ada: Asker = async (method, path, body, headers = {}) => {
    const now = fixture.context.clock.now();
    if (now - at > 240_000) token = (await login(office.app, office.host, 'ada')).body.data.token;
    if (now - at > 240_000) at = now;
    return ask(office.app, `/api/v1/${path}`, {
      method,
      host: office.host,
      token,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  };
  const before = last.get(fixture);
  if (before !== undefined) await show(fixture, before, false);
  last.set(fixture, office.tenant);
  await show(fixture, office.tenant, true);
  return {
    office,
    ada,
    books,
    async connect() {
      await good(ada('PUT', CONNECTION, { environment: 'production', ...APP }));
      const { url } = await good(ada<{ url: string }>('POST', `${CONNECTION}/begin`, {}));
      return good(ada<QuickBooksState>('POST', `${CONNECTION}/finish`, qb.back(url, books)));
    },
    async read() {
      const reader = invoiceTicks(fixture.context);
      await reader.tick(fixture.context.clock.now());
      void reader.stop();
    },
    list: (query = '', who = ada) => good(who<Listed>('GET', `${INVOICES}${query}`)),
    kept: () => good(ada<QuickBooksState>('GET', CONNECTION)),
  };
}
