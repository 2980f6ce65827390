/**
 * Before a start: an organization of the first company with raw backup sessions of people, and its
 * subscription. `node seed-usage.ts <data folder> <sessions.json>`, DATABASE_URL as the server takes it.
 */
import { readFileSync } from 'node:fs';
import { DEFAULT_BILLING } from '../../contract/billing/service-levels.ts';
import { scheduleRecurring } from '../../server/platform/jobs/schedule.ts';
import { addObject } from '../server/backup/objects.ts';
import type { RawUsage } from './raw-usage.ts';
import { openData } from './seed-provider.ts';

const [dataDir = '', file = ''] = process.argv.slice(2);
const databaseUrl = process.env['DATABASE_URL'] ?? '';
const usage = JSON.parse(readFileSync(file, 'utf8')) as RawUsage;
const context = await openData(dataDir, databaseUrl === '' ? null : databaseUrl);
for (const tenant of await context.store.tenants())
  await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const company = (await tx.all('company')).find(({ name }) => name === usage.company)?.n;
    if (company === undefined) return;
    const organization = context.chance.uuid();
    const subscription = context.chance.uuid();
    const { level, userMills, gigabyteMills, minimumUsers, currency } = usage;
    await tx.append(
      [
        {
          company,
          entity: `organization:${organization}`,
          event: {
            type: 'organization.created@1',
            data: {
              id: organization,
              company,
              engine: 'embedded',
              type: 'Office365',
              name: 'First tenant',
              officeName: 'first.example.com',
              directoryId: context.chance.uuid(),
              region: 'Worldwide',
              authType: 'modern',
              isExchangeOnline: true,
              isSharePointOnline: true,
              isTeamsOnline: true,
              isTeamsChatsOnline: false,
              applicationId: context.chance.uuid(),
              certificate: null,
              sharePointSaveAllWebParts: true,
            },
          },
        },
        {
          company,
          entity: `subscription:${subscription}`,
          event: {
            type: 'subscription.started@1',
            data: {
              id: subscription,
              company,
              status: 'active',
              currency,
              level,
              userMills,
              gigabyteMills,
              minimumUsers,
              periodEndsAt: usage.periodEndsAt,
              trialEndsAt: null,
              hasCard: false,
            },
          },
        },
      ],
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: usage.startedAt },
    );
    const made = { organization, repository: context.chance.uuid(), job: '' };
    for (const [index, { user, kind, isLicensed, bytes, points }] of usage.sessions.entries()) {
      await addObject(tx, made, { n: index + 1, kind, user, bytes, points });
      if (kind !== 'site')
        await tx.sql
          .insertInto('directory_object')
          .values({
            tenant_id: tenant,
            organization_id: organization,
            kind: 'user',
            id: user,
            name: user,
            address: `${user}@first.example.com`,
            parent_id: null,
            deleted_at: null,
            licensed: isLicensed,
          })
          .onConflict((on) => on.doNothing())
          .execute();
    }
    await tx.sql
      .insertInto('billing_setting')
      .values({ tenant_id: tenant, settings: JSON.stringify(DEFAULT_BILLING) })
      .execute();
    await scheduleRecurring(tx, 'subscriptions', context.clock.now());
  });
await context.store.close();
