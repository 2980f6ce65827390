import type { Capabilities, Engine } from '#contract/engine/engine.ts';
import type { ImportCalls } from '#contract/engine/imports.ts';
import type { OperatorCalls } from '#contract/engine/operators.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { attachRepository } from './attach/attach-repository.ts';
import { makeCompareCalls } from './compare/compare.ts';
import { type CompareCalls } from '../shared/calls.ts';
import { makeImportCalls } from './imports/imports.ts';
import { checkPersonCode, requestPersonCode } from './operators/person-code.ts';
import { getPersonSignInUrl, redeemPersonCode } from './operators/person-sign-in.ts';
import { refreshGroupMembers } from './operators/group-members.ts';
import { makeTextReader, type TextReader } from './full-text/text-reader.ts';
import { type GraphConnections, makeGraphConnections } from './organizations/access.ts';
import { checkStoredDeviceCode, startDeviceCode } from './organizations/device-codes.ts';
import { listObjects, makeDirectory } from './organizations/directory.ts';
import { renewCertificate } from './organizations/modern.ts';
import {
  connectOrganization,
  disconnectOrganization,
  testOrganization,
} from './organizations/organizations.ts';
import { changePassword } from './repositories/change-password.ts';
import { deleteRepository } from './repositories/delete-repository.ts';
import {
  changeStorageKeys,
  createRepository,
  openStoredRepository,
  readRepositoryUsage,
} from './repositories/repositories.ts';
import { requestCleanUp, requestVerification } from './repositories/requests.ts';
import { makeEstimateCalls } from './restore/estimate.ts';
import { type EstimateCalls } from '../shared/calls.ts';
import { type BackgroundDownloadCalls, makeRestoreCalls } from './restore/restore-engine.ts';
import { type RestoreCalls } from '../shared/calls.ts';
import { makeRestoreRights } from './restore/rights/rights.ts';
import { makeRestorePorts } from './restore/restore-ports.ts';
import type { RestorePorts } from './restore/running-task.ts';
import { done, ok } from '../result.ts';
import { startJob, stopJob } from './sessions/jobs.ts';
import { listLog, listSessions } from '../shared/list-sessions.ts';
import type { SessionPorts } from './sessions/run-session.ts';
import { driveSource } from './sources/drive.ts';
import { mailboxSource } from './sources/outlook/mailbox.ts';
import { siteSource } from './sources/site.ts';
import { teamSource } from './sources/team.ts';

/** Daybook's own engine: what of the interface it offers so far, and what its jobs need. */
export interface EmbeddedEngine
  extends Pick<Engine, 'kind'>, RestoreCalls, BackgroundDownloadCalls, CompareCalls, EstimateCalls {
  readonly capabilities: Pick<Capabilities, 'schedules' | 'auth' | 'services'>;
  readonly organizations: Engine['organizations'];
  readonly repositories: Engine['repositories'];
  readonly jobs: Engine['jobs'];
  readonly operators: OperatorCalls;
  readonly imports: ImportCalls;
  readonly sessions: SessionPorts;
  readonly restores: RestorePorts;
}

/** `context` is a function because the engine is one of the services of the context. */
export function makeEmbeddedEngine(context: () => AppContext): EmbeddedEngine {
  const connections = makeGraphConnections(context);
  const restores = makeRestorePorts(context, connections);
  return {
    kind: 'embedded',
    capabilities: CAPABILITIES,
    organizations: {
      connect: (scope, input) => connectOrganization(context(), connections, scope, input),
      requestDeviceCode: (scope, { region }) =>
        startDeviceCode(context(), connections, scope, region),
      checkDeviceCode: (scope, { code }) =>
        checkStoredDeviceCode(context(), connections, scope, code),
      renewCertificate: (scope, { code }) => renewCertificate(context(), connections, scope, code),
      test: (scope, input) => testOrganization(context(), connections, scope, input),
      disconnect: (scope) => disconnectOrganization(context(), scope),
      async listObjects(scope, input) {
        const ports = await connections.open(scope.tenant, scope.organization);
        return ports.ok ? listObjects(context(), ports.value, scope, input) : ports;
      },
    },
    repositories: {
      create: (scope, input) => createRepository(context(), scope, input),
      changePassword: (scope, input) => changePassword(context(), scope, input),
      changeStorageKeys: (scope, input) => changeStorageKeys(context(), scope, input),
      attach: (scope, input) => attachRepository(context(), scope, input),
      usage: (scope, { repository }) => readRepositoryUsage(context(), scope, repository),
      cleanUp: (scope, { repository }) => requestCleanUp(context(), scope, repository),
      verify: (scope, { repository }) => requestVerification(context(), scope, repository),
      async delete({ tenant }, { repository }) {
        const deleted = await deleteRepository(context(), tenant, repository);
        return deleted.ok ? done : deleted;
      },
    },
    jobs: {
      start: (scope, input) => startJob(context(), scope, input),
      stop: (scope, input) => stopJob(context(), scope, input),
      // The schedule follows the job's row.
      setEnabled: () => Promise.resolve(done),
      listSessions: (scope, input) =>
        context().store.tenant(scope.tenant, (tx) => listSessions(tx, scope, input), READ),
      listLog: (scope, input) =>
        context().store.tenant(scope.tenant, (tx) => listLog(tx, scope, input), READ),
    },
    ...makeRestoreCalls(context, makeRestoreRights(context, connections)),
    ...makeCompareCalls(context, connections, (tenant, repository) =>
      restores.openContent(tenant, repository),
    ),
    ...makeEstimateCalls(context, connections),
    operators: {
      refreshGroups: (scope, input) => refreshGroupMembers(context(), connections, scope, input),
      getSignInUrl: (input) => Promise.resolve(getPersonSignInUrl(connections, input)),
      redeemCode: (input) => redeemPersonCode(connections, input),
      requestCode: ({ region }) => requestPersonCode(connections, region),
      checkCode: (input) => checkPersonCode(connections, input),
    },
    imports: makeImportCalls(context),
    sessions: sessionPorts(context, connections),
    restores,
  };
}

const CAPABILITIES: EmbeddedEngine['capabilities'] = {
  schedules: ['Daily', 'Monthly', 'Periodically', 'Continuously', 'Chained'],
  auth: ['modern', 'modernLegacy'],
  services: ['exchange', 'sharepoint', 'teams', 'teamsChats'],
};
const READ = { readOnly: true };

const sessionPorts = (context: () => AppContext, connections: GraphConnections): SessionPorts => {
  let texts: TextReader | null = null;
  return {
    async openOrganization(tenant, organization, call) {
      const ports = await connections.open(tenant, organization);
      return ports.ok
        ? ok({
            sources: [mailboxSource, driveSource, siteSource, teamSource].map((make) =>
              make(ports.value),
            ),
            directory: makeDirectory(context(), ports.value, { tenant, organization }, call),
          })
        : ports;
    },
    openRepository: (tenant, repository) => openStoredRepository(context(), tenant, repository),
    texts: { read: (format, bytes) => (texts ??= makeTextReader(context())).read(format, bytes) },
  };
};
