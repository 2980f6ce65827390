import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { backupRuns } from '#server/features/backup/backup-runs.ts';
import { anyDatabase } from '../db/databases.ts';
import { aSuite, CODE, makeAll, organization } from './fixtures.ts';

anyDatabase((kind, open) => {
  test(`WIZARD-2: a profile says whether there are organizations and jobs that the user sees (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const other = await office.as('other', ['o365_admin'], [2]);
    const loadId = async (username: string): Promise<string> => {
      const { id } = await fixture.context.store.tenant(office.tenant, ({ sql }) =>
        sql
          .selectFrom('person')
          .select('id')
          .where('tenant_id', '=', office.tenant)
          .where('username', '=', username)
          .executeTakeFirstOrThrow(),
      );
      return id;
    };
    const ids = new Map([
      [admin, await loadId('admin')],
      [other, await loadId('other')],
    ]);
    const known = async (who: typeof admin) => {
      const { data } = (
        await who<{ hasOrganizations: boolean; hasJobs: boolean }>('GET', `profile/${ids.get(who)}`)
      ).body;
      return [data.hasOrganizations, data.hasJobs];
    };
    expect([await known(admin), await known(other)]).toEqual([
      [false, false],
      [false, false],
    ]);
    const made = await makeAll(admin, 1, 'Calloway');
    expect([await known(admin), await known(other)]).toEqual([
      [true, true],
      [false, false],
    ]);
    await admin('DELETE', `o365/jobs/${made.job}`);
    expect(await known(admin)).toEqual([true, false]);
  });

  test(`ENG-50: what an application lacks is returned, stored, and checked again (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const foreign = await office.as('foreign', ['o365_admin'], [2]);
    const reader = await office.as('reader', ['operator']);
    interface Lacking {
      readonly id: string;
      readonly missingPermissions?: readonly string[];
      readonly isCertificateMissing?: boolean;
    }
    recording.missing = ['Sites.Read.All', 'Mail.Read'];
    const lacking = { missingPermissions: recording.missing, isCertificateMissing: false };
    const settings = { applicationId: CODE, officeOrganizationName: 'calloway.example.com' };
    const created = await admin<Lacking>(
      'POST',
      'o365/organizations',
      organization(1, {
        newApplicationName: undefined,
        configureApplication: false,
        exchangeOnlineSettings: settings,
      }),
    );
    expect(recording.calls.at(-1)?.input).toMatchObject({ applicationId: CODE, setup: 'nothing' });
    expect(created.body.data).toMatchObject(lacking);
    const at = `o365/organizations/${created.body.data.id}`;
    const read = async () => (await admin<Lacking>('GET', at)).body.data;
    expect(await read()).toMatchObject(lacking);
    const {
      companyId: _,
      type: __,
      ...fields
    } = organization(1, {
      newApplicationName: undefined,
      exchangeOnlineSettings: settings,
    }) as Record<string, unknown>;
    recording.missing = ['Mail.Read'];
    const updated = await admin<Lacking>('PUT', at, fields);
    expect(recording.calls.at(-1)?.input).toMatchObject({ setup: 'all' });
    expect(updated.body.data).toEqual({
      missingPermissions: ['Mail.Read'],
      isCertificateMissing: false,
    });
    expect(await read()).toMatchObject(updated.body.data);

    // An administrator of the tenant grants it, and later revokes another one.
    for (const missing of [[], ['User.Read.All']]) {
      recording.missing = missing;
      const checked = await admin<Lacking>('POST', `${at}/health`, {});
      expect(checked.body.data).toMatchObject({ signsIn: true, missingPermissions: missing });
      expect(await read()).toMatchObject({ missingPermissions: missing, name: 'Calloway tenant' });
    }
    expect((await foreign('POST', `${at}/health`, {})).status).toBe(404);
    expect((await reader('POST', `${at}/health`, {})).status).toBe(403);
    recording.failing.set('test', { kind: 'unreachable', message: 'No answer.' });
    expect((await admin('POST', `${at}/health`, {})).status).toBe(503);
    expect(await read()).toMatchObject({ missingPermissions: ['User.Read.All'] });
  });

  test(`ENG-50: what an application lacked is checked again after a session that made a restore point (${kind})`, async () => {
    const { office, ground: fixture, recording } = await aSuite(await open());
    const { context } = fixture;
    const { tenant } = office;
    const admin = await office.as('admin', ['o365_admin']);
    recording.missing = ['Sites.Read.All', 'Mail.Read'];
    const made = await makeAll(admin, 1, 'Calloway');
    const read = async (): Promise<readonly string[]> =>
      (
        await admin<{ missingPermissions: readonly string[] }>(
          'GET',
          `o365/organizations/${made.organization}`,
        )
      ).body.data.missingPermissions;
    const endSession = async (point: string | null): Promise<void> => {
      const id = randomUUID();
      await context.store.tenant(tenant, (tx) =>
        tx.append(
          [
            {
              company: 1,
              entity: `backupjob:${made.job}`,
              event: {
                type: 'backupsession.started@1',
                data: { id, job: made.job, reason: 'schedule' },
              },
            },
            {
              company: 1,
              entity: `backupjob:${made.job}`,
              event: {
                type: 'backupsession.ended@1',
                data: {
                  id,
                  job: made.job,
                  result: point === null ? 'failed' : 'success',
                  counts: { objects: 1, succeeded: 1, warned: 0, failed: 0 },
                  bytesRead: 1,
                  bytesStored: 1,
                  point,
                  message: null,
                },
              },
            },
          ],
          { actor: { kind: 'clock' }, subject: null, commandId: null, at: context.clock.now() },
        ),
      );
      await backupRuns(context)({
        tenant,
        payload: null,
        now: context.clock.now(),
        signal: new AbortController().signal,
      });
    };
    const countChecks = (): number => recording.calls.filter(({ name }) => name === 'test').length;

    await endSession(null);
    expect(countChecks()).toBe(0);
    recording.failing.set('test', { kind: 'unreachable', message: 'No answer.' });
    await endSession(randomUUID());
    expect(await read()).toEqual(['Sites.Read.All', 'Mail.Read']);

    recording.failing.clear();
    recording.missing = ['Sites.Read.All'];
    await endSession(randomUUID());
    expect(await read()).toEqual(['Sites.Read.All']);
    recording.missing = [];
    await endSession(randomUUID());
    expect(await read()).toEqual([]);
    // What lacks nothing is not checked at each session.
    const checks = countChecks();
    await endSession(randomUUID());
    expect(countChecks()).toBe(checks);
  });
});
