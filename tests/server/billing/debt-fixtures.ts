import type { NewEvent } from '#contract/events.ts';
import { getRow, type Shop } from './subscription-fixtures.ts';

export const append = (
  { ground: fixture, office }: Shop,
  events: readonly NewEvent[],
): Promise<unknown> =>
  fixture.context.store.tenant(office.tenant, async (tx) => {
    await tx.lock();
    await tx.append(events, {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: fixture.context.clock.now(),
    });
  });

/** A month of company 1 whose invoice QuickBooks has, as it was read an hour ago. */
export async function addInvoice(till: Shop, due: `${number}-${number}-${number}`): Promise<void> {
  const { ground: fixture, office, owner } = till;
  await till.work();
  const { _id: id = '' } = (await getRow(owner)).usage ?? {};
  await append(till, [
    {
      company: 1,
      entity: `usage:${id}`,
      event: { type: 'usage.invoiced@1', data: { id, invoice: '1001' } },
    },
  ]);
  const at = fixture.context.clock.now();
  await fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
    await sql
      .insertInto('quickbooks')
      .values({
        tenant_id: tenant,
        environment: 'production',
        client_id: 'client',
        realm_id: '1',
        connected_at: at,
        read_at: at,
        cursor: JSON.stringify({}) as never,
      })
      .execute();
    await sql
      .insertInto('invoice_customer')
      .values({
        tenant_id: tenant,
        id: '1',
        name: 'Calloway',
        active: true,
        company_n: 1,
        stands_for: 1,
        seen_at: at,
      })
      .execute();
    await sql
      .insertInto('invoice')
      .values({
        tenant_id: tenant,
        id: '1',
        customer_id: '1',
        number: '1001',
        currency: 'USD',
        day: due,
        due,
        total: 5_000,
        balance: 5_000,
        voided: false,
        row: JSON.stringify({}) as never,
        changed_at: at,
        seen_at: at,
      })
      .execute();
  });
}

export const setBalance = (
  { ground: fixture, office }: Shop,
  balance: number,
  readAt = fixture.context.clock.now(),
) =>
  fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
    await sql.updateTable('invoice').set({ balance }).where('tenant_id', '=', tenant).execute();
    await sql
      .updateTable('quickbooks')
      .set({ read_at: readAt })
      .where('tenant_id', '=', tenant)
      .execute();
  });
