import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type {
  EngineScope,
  Node,
  RestoreInput,
  EngineTask,
  Workload,
} from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import type { Store } from '#server/platform/db/store.ts';
import { checkEntity } from '../../../fakes/graph-schema.ts';
import { eachDatabase } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { clientToken } from '../../demo-tenant/fixtures.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { connectWithSecret, createBackup } from '../organization.ts';
import { getValue, makeFolder } from '../restic/fixtures.ts';
import { ROLES } from './team-bench.ts';
import { NO_FLAGS } from './no-flags.ts';

interface Listed {
  readonly roles: string[];
  readonly inheritedFrom?: object;
  readonly link?: { type: string; scope: string };
  readonly grantedToV2?: { user?: { id: string } };
}
type Call = <T = { id: string }>(method: string, path: string, body?: unknown) => Promise<T>;
/** A folder of files: `/drives/<id>/items/<id>`. */
interface Place {
  readonly name: string;
  readonly folder: string;
}

const invite = (who: string | undefined, role: string) => ({
  recipients: [{ objectId: who }],
  roles: [role],
  sendInvitation: false,
});

/** How the first response to each DELETE of an undo gets lost, and then the tenant for some minutes. */
interface Loss {
  readonly losesResponses: boolean;
  readonly losesTenant: boolean;
}
const NO_LOSS: Loss = { losesResponses: false, losesTenant: false };
const LOSSES: readonly Loss[] = [
  NO_LOSS,
  { losesResponses: true, losesTenant: false },
  { losesResponses: true, losesTenant: true },
];

/** A tenant of which a team or site is backed up after people have shared files in its `places`. */
async function anOffice(
  store: Store,
  workload: Workload,
  findPlaces: (call: Call, id: string) => Promise<readonly Place[]>,
) {
  const fixture = await makeFixture({ repositoriesDir: makeFolder() }, store, {
    skipsShortWaits: true,
    // Requests are repeated after longer waits.
    shortWaitMs: 40_000,
  });
  const { context } = fixture;
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: { people: 8, minMails: 1, maxMails: 1, minFiles: 1, maxFiles: 1, maxFileBytes: 2_000 },
  });
  onTestFinished(() => office.close());
  const lost = { ...NO_LOSS, downUntil: 0, seen: new Set<string>() };
  context.cloud.connectTo(async (request) => {
    if (context.clock.now() < lost.downUntil) throw new TypeError('fetch failed');
    const response = await office.fetch(request);
    const isFirst = !lost.seen.has(request.url);
    if (!lost.losesResponses || request.method !== 'DELETE' || !isFirst) return response;
    lost.seen.add(request.url);
    if (lost.losesTenant) lost.downUntil = context.clock.now() + 300_000;
    throw new TypeError('fetch failed');
  });
  const scope: EngineScope = {
    tenant: await aTenant(context.store),
    organization: randomUUID(),
    user: randomUUID(),
  };
  const engine = context.embeddedEngine;
  const roles = [...ROLES, 'Sites.Manage.All'];
  const application = office.admin.registerApplication('Backup', roles);
  getValue(await engine.organizations.connect(scope, connectWithSecret(office, application)));
  const call: Call = async <T>(method: string, path: string, body?: unknown) => {
    const token = await clientToken(office, application);
    const response = await office.fetch(
      new Request(`https://graph.microsoft.com/v1.0${path}`, {
        method,
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && {
          body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
        }),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? null : JSON.parse(text)) as T;
  };
  const isTeam = workload === 'teams';
  const [team] = office.admin.teams.list();
  const { value: sites } = await call<{ value: { id: string; displayName: string }[] }>(
    'GET',
    '/sites/getAllSites',
  );
  const site = sites.find(({ displayName }) => displayName === 'Intranet');
  const id = (isTeam ? team?.id : site?.id) ?? '';
  const places = await findPlaces(call, id);
  const [one, other] = office.admin.listUsers().filter(({ mailbox }) => mailbox === 'user');
  for (const { folder } of places) {
    const { id: plans } = await call('POST', `${folder}/children`, { name: 'Plans', folder: {} });
    const drive = folder.split('/items/')[0] ?? '';
    const path = `${drive}/items/${plans}`;
    await call('PUT', `${path}:/one.txt:/content`, new TextEncoder().encode('one'));
    await call('POST', `${path}/invite`, invite(one?.id, 'write'));
    await call('POST', `${path}:/one.txt:/invite`, invite(other?.id, 'read'));
    await call('POST', `${path}:/one.txt:/createLink`, { type: 'view', scope: 'organization' });
  }
  /** Who has access to the folder and the file, besides what they inherit. */
  const listAccess = async ({ folder }: Place): Promise<readonly string[]> => {
    const lines: string[] = [];
    for (const path of ['Plans', 'Plans/one.txt']) {
      const { value } = await call<{ value: Listed[] }>('GET', `${folder}:/${path}:/permissions`);
      for (const permission of value) {
        expect(checkEntity('permission', permission)).toEqual([]);
        const { link, grantedToV2, roles: given, inheritedFrom } = permission;
        if (inheritedFrom !== undefined) continue;
        lines.push(
          [path, link?.scope ?? grantedToV2?.user?.id, link?.type ?? given.join()].join(' '),
        );
      }
    }
    return lines.toSorted((a, b) => (a < b ? -1 : 1));
  };
  const given = [
    `Plans ${one?.id} write`,
    `Plans/one.txt ${other?.id} read`,
    'Plans/one.txt organization view',
  ].toSorted((a, b) => (a < b ? -1 : 1));

  const { job } = await createBackup(
    context,
    scope,
    { type: 'Periodically', periodicallyEvery: 'Hours12' },
    {
      services: isTeam ? { isTeamsOnline: true } : {},
      settings: {
        backupType: 'SelectedItems',
        selectedItems: [
          isTeam ? { type: 'Team', id, parts: ['teams'] } : { type: 'Site', id, parts: ['sites'] },
        ],
      },
    },
  );
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  const session = getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
  for (let state = 'queued'; state !== 'done';) {
    await runner.tick();
    const page = await engine.jobs.listSessions(scope, { job, session, cursor: null, limit: 1 });
    state = getValue(page).rows[0]?.state ?? 'done';
    fixture.pass(60_000);
  }
  const explorer = getValue(
    await engine.openExplorer(scope, {
      workload,
      job: null,
      at: context.clock.now(),
      showDeleted: false,
    }),
  ).id;
  const list = async (parent: string | null): Promise<readonly Node[]> =>
    getValue(
      await engine.listChildren(scope, {
        explorer,
        parent,
        only: 'folders',
        text: null,
        sort: 'name',
        descending: false,
        cursor: null,
        limit: 100,
      }),
    ).rows;
  const end = async (task: string): Promise<EngineTask> => {
    for (let turns = 0; turns < 60; turns++) {
      await runner.tick();
      const now = getValue(await engine.getTask(scope, { task }));
      if (now.state === 'done') return now;
      fixture.pass(60_000);
    }
    throw new Error('The task does not end.');
  };
  const [top] = await list(null);
  const restore = async (more: Partial<RestoreInput> = {}): Promise<EngineTask> =>
    end(
      getValue(
        await engine.restore(scope, {
          explorer,
          nodes: [top?.id ?? ''],
          target: { kind: 'original' },
          select: 'missing',
          onConflict: 'skip',
          versions: 'last',
          flags: { ...NO_FLAGS, permissions: true },
          dryRun: false,
          reason: null,
          ...more,
        }),
      ),
    );
  const undo = async ({ id: task }: EngineTask, loss: Loss): Promise<EngineTask> => {
    Object.assign(lost, loss, { seen: new Set<string>() });
    const done = await end(getValue(await engine.undo(scope, { task })));
    Object.assign(lost, NO_LOSS);
    return done;
  };
  const listMessages = async ({ id: task }: EngineTask): Promise<readonly string[]> =>
    getValue(
      await engine.listResults(scope, { task, outcome: null, cursor: null, limit: 500 }),
    ).rows.flatMap(({ name, message }) => (name === 'one.txt' ? [message ?? ''] : []));
  return { places, call, listAccess, given, restore, undo, listMessages };
}

async function findChannelFolders(call: Call, team: string): Promise<readonly Place[]> {
  const { value } = await call<{ value: { id: string; displayName: string }[] }>(
    'GET',
    `/teams/${team}/channels`,
  );
  const places: Place[] = [];
  for (const channel of value) {
    const path = `/teams/${team}/channels/${encodeURIComponent(channel.id)}/filesFolder`;
    const folder = await call<{ id: string; parentReference: { driveId: string } }>('GET', path);
    const { driveId } = folder.parentReference;
    places.push({ name: channel.displayName, folder: `/drives/${driveId}/items/${folder.id}` });
  }
  return places;
}

async function findLibraries(call: Call, site: string): Promise<readonly Place[]> {
  await call('POST', `/sites/${site}/lists`, {
    displayName: 'Contracts',
    list: { template: 'documentLibrary' },
  });
  const { value } = await call<{ value: { id: string; name: string }[] }>(
    'GET',
    `/sites/${site}/drives`,
  );
  const places: Place[] = [];
  for (const { id, name } of value) {
    const root = await call('GET', `/drives/${id}/root`);
    places.push({ name, folder: `/drives/${id}/items/${root.id}` });
  }
  return places;
}

/** What an undo says of folders that hold files of others. `files`: the folder below each place. */
const sayStays = (files: string) => (places: readonly Place[]) => {
  const names = places.map(({ name }) => `“${[name, files, 'Plans'].filter(Boolean).join('/')}”`);
  return `The restore created these, and they stay: ${names.toSorted().join(', ')}. Other items are still in there.`;
};

eachDatabase((kind, open) => {
  for (const [workload, what, findPlaces, stays] of [
    ['teams', 'channels of a team, also of a private one', findChannelFolders, sayStays('Files')],
    ['sharepoint', 'all libraries of a site', findLibraries, sayStays('')],
  ] as const)
    test(`RES-6, RES-4: files and folders of ${what} come back shared with whom they were, and an undo takes it away, also if it loses responses (${kind})`, async () => {
      const office = await anOffice(await open(), workload, findPlaces);
      const { places, call, listAccess, given, restore, undo, listMessages } = office;
      expect(places.length).toBeGreaterThan(1);
      for (const place of places) {
        expect([place.name, await listAccess(place)]).toEqual([place.name, given]);
        await call('DELETE', `${place.folder}:/Plans`);
      }

      const dry = await restore({ dryRun: true });
      const messages = await listMessages(dry);
      expect(messages).toHaveLength(places.length);
      for (const message of messages)
        expect(message).toContain('1 person gets access again. 1 link gets a new address.');
      expect(dry.message?.match(/Plans: 1 person gets access again\./g)).toHaveLength(
        places.length,
      );
      const silent = await restore({ dryRun: true, flags: NO_FLAGS });
      for (const message of await listMessages(silent))
        expect(message).toContain("Its sharing won't be restored.");

      for (const loss of LOSSES) {
        const done = await restore();
        expect([done.result, done.message]).toEqual(['success', null]);
        for (const place of places)
          expect([place.name, await listAccess(place)]).toEqual([place.name, given]);
        const again = await restore();
        expect(again.counts.restored).toBe(0);

        // Somebody adds a file to each folder: it stays, but is shared with nobody any more.
        for (const { folder } of places)
          await call('PUT', `${folder}:/Plans/new.txt:/content`, new Uint8Array([1]));
        const undone = await undo(done, loss);
        expect([loss, undone.result, undone.message]).toEqual([loss, 'success', stays(places)]);
        expect(undone.counts).toMatchObject({ restored: places.length, skipped: 0, failed: 0 });
        for (const { name, folder } of places) {
          const path = `${folder}:/Plans`;
          const { value } = await call<{ value: Listed[] }>('GET', `${path}:/permissions`);
          const own = value.filter(({ inheritedFrom }) => inheritedFrom === undefined);
          expect([loss, name, own]).toEqual([loss, name, []]);
          await call('DELETE', path);
        }
      }
    });
});
