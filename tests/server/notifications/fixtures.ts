import type { CompanyN } from '#contract/ids.ts';
import type { Role } from '#contract/abilities.ts';
import { notifyDefaults } from '#contract/notifications/notifications.ts';
import type { NotifySettings } from '#contract/notifications/notifications.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import type { Fixture } from '../http/fixtures.ts';
import { failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What was put on its way to users, the oldest first. */
export const loadMails = (
  fixture: Fixture,
  office: Pick<Office, 'tenant'>,
): Promise<readonly Mail[]> =>
  fixture.context.store.tenant(office.tenant, async (tx) => {
    const rows = await tx.sql
      .selectFrom('outgoing')
      .select(['id', 'sealed'])
      .where('tenant_id', '=', tx.tenant)
      .orderBy('made_at')
      .execute();
    const all: Mail[] = [];
    for (const { id, sealed } of rows)
      all.push(
        JSON.parse(
          await unseal(
            tx,
            fixture.context,
            { table: 'outgoing', column: 'sealed', row: id },
            sealed,
          ),
        ) as Mail,
      );
    return all;
  });

export const settings = (more: Partial<NotifySettings> = {}): NotifySettings => ({
  ...notifyDefaults('Europe/Berlin'),
  ...more,
});
export const digestAt = (
  at: string,
  more: Partial<NotifySettings['digest']> = {},
): NotifySettings =>
  settings({ digest: { on: true, at, weekdays: [1, 2, 3, 4, 5, 6, 7], whenWell: false, ...more } });

/** A user with an address of its own, who wants this. */
export async function createRecipient(
  fixture: Fixture,
  office: Office,
  name: string,
  wants: NotifySettings,
  companies: readonly CompanyN[] | null = null,
  role: Role = 'operator',
): Promise<Asker> {
  const who = await person(office, name, role, companies);
  await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
    sql
      .updateTable('person')
      .set({ email: `${name}@example.com` })
      .where('tenant_id', '=', tenant)
      .where('username', '=', name)
      .execute(),
  );
  const stored = await who('PUT', 'monitoring/notify', { settings: wants });
  if (stored.status !== 200) throw new Error(stored.text);
  return who;
}

export const fails = (
  fixture: Fixture,
  office: Office,
  company: 1 | 2,
  job: string,
  more: object = {},
): Promise<void> =>
  office.post(company, [
    failure(job, new Date(fixture.context.clock.now() - 60_000).toISOString(), more),
  ]);
export const succeeds = (
  fixture: Fixture,
  office: Office,
  company: 1 | 2,
  job: string,
): Promise<void> => fails(fixture, office, company, job, { status: 'Success', message: null });
