import type { Capabilities, Engine } from '#contract/engine/engine.ts';
import type { OperatorCalls } from '#contract/engine/operators.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { attachRepository } from './attach/attach-repository.ts';
import { checkPersonCode, requestPersonCode } from './operators/person-code.ts';
import { refreshGroupMembers } from './operators/group-members.ts';
import { type GraphConnections, makeGraphConnections } from './organizations/access.ts';
import { checkDeviceCode, requestDeviceCode } from './organizations/device-codes.ts';
import { listObjects, makeDirectory } from './organizations/directory.ts';
import { renewCertificate } from './organizations/modern.ts';
import {
  connectOrganization,
  disconnectOrganization,
  testOrganization,
} from './organizations/organizations.ts';
import { deleteRepository } from './repositories/delete-repository.ts';
import {
  changePassword,
  createRepository,
  openStoredRepository,
  readUsage,
} from './repositories/repositories.ts';
import { requestCleanUp, requestVerification } from './repositories/requests.ts';
import { makeRestoreCalls, type RestoreCalls } from './restore/restore-engine.ts';
import { makeRestoreRights } from './restore/rights/rights.ts';
import { makeRestorePorts } from './restore/restore-ports.ts';
import type { RestorePorts } from './restore/running-task.ts';
import { ok } from '../result.ts';
import { listLog, listSessions, startJob, stopJob } from './sessions/jobs.ts';
import type { SessionPorts } from './sessions/run-session.ts';
import { driveSource } from './sources/drive.ts';
import { mailboxSource } from './sources/outlook/mailbox.ts';
import { siteSource } from './sources/site.ts';
import { teamSource } from './sources/team.ts';

/** Daybook's own engine: what of the interface it offers so far, and what its jobs need. */
export interface EmbeddedEngine extends Pick<Engine, 'kind'>, RestoreCalls {
  readonly capabilities: Pick<Capabilities, 'schedules' | 'auth' | 'services'>;
  readonly organizations: Engine['organizations'];
  readonly repositories: Engine['repositories'];
  readonly jobs: Engine['jobs'];
  readonly operators: OperatorCalls;
  readonly sessions: SessionPorts;
  readonly restores: RestorePorts;
}

/** `world` is a function because the engine is one of the services of the context. */
export function makeEmbeddedEngine(world: () => AppContext): EmbeddedEngine {
  const connections = makeGraphConnections(world);
  return {
    kind: 'embedded',
    capabilities: CAPABILITIES,
    organizations: {
      connect: (scope, input) => connectOrganization(world(), connections, scope, input),
      requestDeviceCode: (scope, { region }) =>
        requestDeviceCode(world(), connections, scope, region),
      checkDeviceCode: (scope, { code }) => checkDeviceCode(world(), connections, scope, code),
      renewCertificate: (scope, { code }) => renewCertificate(world(), connections, scope, code),
      test: (scope) => testOrganization(connections, scope),
      disconnect: (scope) => disconnectOrganization(world(), scope),
      async listObjects(scope, input) {
        const ports = await connections.open(scope.tenant, scope.organization);
        return ports.ok ? listObjects(world(), ports.value, scope, input) : ports;
      },
    },
    repositories: {
      create: (scope, input) => createRepository(world(), scope, input),
      changePassword: (scope, input) => changePassword(world(), scope, input),
      attach: (scope, input) => attachRepository(world(), scope, input),
      usage: (scope, { repository }) => readUsage(world(), scope, repository),
      cleanUp: (scope, { repository }) => requestCleanUp(world(), scope, repository),
      verify: (scope, { repository }) => requestVerification(world(), scope, repository),
      delete: ({ tenant }, { repository }) => deleteRepository(world(), tenant, repository),
    },
    jobs: {
      start: (scope, input) => startJob(world(), scope, input),
      stop: (scope, input) => stopJob(world(), scope, input),
      listSessions: (scope, input) =>
        world().store.tenant(scope.tenant, (tx) => listSessions(tx, scope, input), READ),
      listLog: (scope, input) =>
        world().store.tenant(scope.tenant, (tx) => listLog(tx, scope, input), READ),
    },
    ...makeRestoreCalls(world, makeRestoreRights(world, connections)),
    operators: {
      refreshGroups: (scope, input) => refreshGroupMembers(world(), connections, scope, input),
      requestCode: ({ region }) => requestPersonCode(connections, region),
      checkCode: (input) => checkPersonCode(connections, input),
    },
    sessions: sessionPorts(world, connections),
    restores: makeRestorePorts(world, connections),
  };
}

const CAPABILITIES: EmbeddedEngine['capabilities'] = {
  schedules: ['Daily', 'Monthly', 'Periodically', 'Continuously', 'Chained'],
  auth: ['modern', 'modernLegacy'],
  services: ['exchange', 'sharepoint', 'teams', 'teamsChats'],
};
const READ = { readOnly: true };

const sessionPorts = (world: () => AppContext, connections: GraphConnections): SessionPorts => ({
  async openOrganization(tenant, organization, call) {
    const ports = await connections.open(tenant, organization);
    return ports.ok
      ? ok({
          sources: [mailboxSource, driveSource, siteSource, teamSource].map((make) =>
            make(ports.value),
          ),
          directory: makeDirectory(world(), ports.value, { tenant, organization }, call),
        })
      : ports;
  },
  openRepository: (tenant, repository) => openStoredRepository(world(), tenant, repository),
});
