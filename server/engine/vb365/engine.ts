import { SERVER_SCHEDULES } from '#contract/backup/schedule.ts';
import type { Capabilities, Engine } from '#contract/engine/engine.ts';
import type { ServerJobs } from '#contract/engine/server-jobs.ts';
import type { ServerRepositories } from '#contract/engine/server-repositories.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { listLog, listSessions } from '../shared/list-sessions.ts';
import type { ReadScope } from '../read-scope.ts';
import { done, failed } from '../result.ts';
import { withSignal } from './client.ts';
import { createServerJob } from './create-job.ts';
import {
  addServerRepository,
  createServerRepository,
  findServerRepository,
} from './create-repository.ts';
import { listObjects } from './directory.ts';
import { commandRunning, startJob } from './jobs.ts';
import { vb365Messages as t } from './messages.en.ts';
import { makeVb365RestoreCalls, type Vb365RestoreCalls } from './restore/calls.ts';
import { removeServerRepository } from './remove-repository.ts';
import { readServerRepository, readServerStorage } from './read-repository.ts';
import { deleteServerJob, updateServerJob } from './save-jobs.ts';
import { updateServerRepository } from './save-repositories.ts';
import { forgetOrganization, makeVb365Servers, toFailed, type Vb365Servers } from './servers.ts';
import { readServerUsage } from './usage.ts';

/**
 * The engine of organizations that were imported from a server of Veeam Backup for Microsoft 365.
 * That server makes the backups and has their settings; the portal shows them, changes jobs and
 * repositories, starts and stops jobs, and reads backups. The rest is `unsupported`.
 */
export interface Vb365Engine extends Pick<Engine, 'kind'>, Vb365RestoreCalls {
  readonly capabilities: Pick<Capabilities, 'schedules' | 'auth' | 'services'>;
  readonly organizations: Engine['organizations'];
  readonly repositories: Engine['repositories'];
  readonly jobs: Engine['jobs'];
  readonly serverJobs: ServerJobs;
  readonly serverRepositories: ServerRepositories;
  readonly servers: Vb365Servers;
}

/** `context` is a function because the engine is one of the services of the context. */
export function makeVb365Engine(context: () => AppContext): Vb365Engine {
  const servers = makeVb365Servers(context);
  return {
    kind: 'vb365',
    capabilities: {
      schedules: SERVER_SCHEDULES,
      auth: [],
      services: ['exchange', 'sharepoint', 'teams', 'teamsChats'],
    },
    servers,
    ...makeVb365RestoreCalls(context, servers),
    organizations: {
      requestDeviceCode: unsupported,
      checkDeviceCode: unsupported,
      connect: unsupported,
      renewCertificate: unsupported,
      test: unsupported,
      async disconnect({ tenant, organization }) {
        await context().store.tenant(tenant, (tx) => forgetOrganization(tx, organization));
        return done;
      },
      async listObjects({ signal, ...scope }: ReadScope, input) {
        const opened = await servers.open(scope);
        if (!opened.ok) return opened;
        const client = withSignal(opened.value.client, signal);
        return listObjects({ ...opened.value, client }, input).catch(toFailed);
      },
    },
    repositories: {
      create: unsupported,
      changePassword: unsupported,
      changeStorageKeys: unsupported,
      attach: unsupported,
      cleanUp: unsupported,
      verify: unsupported,
      delete: unsupported,
      usage: (scope, { repository }) => readServerUsage(context(), scope, repository),
    },
    serverJobs: {
      create: (scope, input) => createServerJob(context(), servers, scope, input),
      update: (scope, input) => updateServerJob(context(), servers, scope, input),
      delete: (scope, { job }) => deleteServerJob(context(), servers, scope, job),
    },
    serverRepositories: {
      readStorage: (scope) => readServerStorage(context(), servers, scope),
      create: (scope, input) => createServerRepository(context(), servers, scope, input),
      find: (scope, key) => findServerRepository(context(), servers, scope, key),
      add: (scope, input) => addServerRepository(context(), servers, scope, input),
      read: (scope, { repository }) => readServerRepository(context(), servers, scope, repository),
      update: (scope, input) => updateServerRepository(context(), servers, scope, input),
      remove: (scope, input) => removeServerRepository(context(), servers, scope, input),
    },
    jobs: {
      start: (scope, input) => startJob(context(), servers, scope, input),
      stop: (scope, { job }) => commandRunning(context(), servers, scope, { job, action: 'stop' }),
      setEnabled: (scope, { job, enabled }) =>
        commandRunning(context(), servers, scope, { job, action: enabled ? 'enable' : 'disable' }),
      listSessions: (scope, input) =>
        context().store.tenant(scope.tenant, (tx) => listSessions(tx, scope, input), READ),
      listLog: (scope, input) =>
        context().store.tenant(scope.tenant, (tx) => listLog(tx, scope, input), READ),
    },
  };
}

const READ = { readOnly: true };
const unsupported = () => Promise.resolve(failed('unsupported', t.readOnly));
