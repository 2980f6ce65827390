import { expect, test } from 'vitest';
import { warnOfCertificates } from '#server/features/backup/certificate-warnings.ts';
import { anyDatabase } from '../db/databases.ts';
import { loadMails } from '../notifications/fixtures.ts';
import { addAdministrators, aSuite, makeAll } from './fixtures.ts';

const DAY = 86_400_000;

anyDatabase((kind, open) => {
  test(`ENG-82: administrators get an email 30 and 7 days before a certificate expires, once each, and again for a renewed one (${kind})`, async () => {
    const { office, ground: fixture, recording } = await aSuite(await open());
    const { context } = fixture;
    const { store } = context;
    const { tenant } = office;
    const admin = await office.as('admin', ['o365_admin']);
    await addAdministrators(fixture, tenant);
    const { organization: id } = await makeAll(admin, 1, 'Calloway');
    // The recording engine stores no access.
    await store.tenant(tenant, ({ sql }) =>
      sql
        .insertInto('organization_access')
        .values({ tenant_id: tenant, organization_id: id as never, sealed: '', at: 0 })
        .execute(),
    );
    const run = (now: number) => store.tenant(tenant, (tx) => warnOfCertificates(context)(tx, now));
    let known = (await loadMails(fixture, office)).length;
    /** Who of these four gets which mail in an hour, or in the hour after it. */
    const news = async (now: number): Promise<string[]> => {
      await run(now);
      await run(now + 3_600_000);
      const all = await loadMails(fixture, office);
      const added = all.slice(known);
      known = all.length;
      return added
        .filter(({ to }) => !to.startsWith('kate@'))
        .map(({ to, subject }) => `${to}: ${subject}`)
        .toSorted();
    };
    const expiresAt = 1_900_000_000_000;
    const subject = 'Certificate of Calloway expires on Mar 17, 2030, 5:46 PM UTC';
    const both = [`ann@example.com: ${subject}`, `bob@example.com: ${subject}`];
    expect([
      await news(expiresAt - 31 * DAY),
      await news(expiresAt - 30 * DAY),
      await news(expiresAt - 20 * DAY),
      await news(expiresAt - 7 * DAY),
      await news(expiresAt - DAY),
      await news(expiresAt + DAY),
    ]).toEqual([[], both, [], both, [], []]);
    const text = (await loadMails(fixture, office)).at(-1)?.text ?? '';
    expect(text).toContain('Calloway Freight');
    expect(text).toContain(`/o365/organizations/certificate/1/${id}`);

    // The new one expires at 1,950,000,000,000.
    await admin('POST', 'o365/organizations/renew-certificate', {
      organizationId: id,
      code: '0a1b2c3d-0000-4000-8000-000000000000',
    });
    const renewed = 1_950_000_000_000;
    expect(await news(renewed - 40 * DAY)).toEqual([]);
    // After a long downtime, only the later notice is sent.
    expect(await news(renewed - 5 * DAY)).toHaveLength(2);
    expect(await news(renewed - 4 * DAY)).toEqual([]);
    expect(recording.calls.map(({ name }) => name)).toContain('renewCertificate');
    await admin('DELETE', `o365/organizations/${id}`);
    known = (await loadMails(fixture, office)).length;
    expect(await news(renewed - DAY)).toEqual([]);
  });
});
