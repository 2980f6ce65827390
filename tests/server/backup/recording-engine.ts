import { randomUUID } from 'node:crypto';
import type { ConnectInput } from '#contract/engine/connection.ts';
import type { Engine, EngineError, EngineResult } from '#contract/engine/engine.ts';

/** One call of the engine: its name, whose data it is about, and its input. */
export interface EngineCall {
  readonly name: string;
  readonly organization: string;
  readonly user: string | null;
  readonly input: unknown;
}

export interface RecordingEngine {
  readonly engine: Engine;
  readonly calls: EngineCall[];
  /** The tenant to which the next sign-ins are. */
  directory: string;
  /** Permissions that the application lacks from now on. */
  missing: readonly string[];
  /** What the next calls of this name answer. */
  readonly failing: Map<string, EngineError>;
  readonly running: Set<string>;
}

const unused = (): never => {
  throw new Error('nobody calls this');
};

/** An engine in memory that records its calls: no tenant, no repository, no session. */
export function recordingEngine(): RecordingEngine {
  const calls: EngineCall[] = [];
  const failing = new Map<string, EngineError>();
  const running = new Set<string>();
  const recording: RecordingEngine = {
    calls,
    failing,
    running,
    missing: [],
    directory: '00000000-0000-4000-a000-000000000001',
    engine: {
      kind: 'embedded',
      capabilities: {
        schedules: ['Daily', 'Monthly', 'Periodically', 'Continuously', 'Chained'],
        auth: ['modern', 'modernLegacy'],
        services: ['exchange', 'sharepoint', 'teams'],
        search: true,
        versions: true,
        dryRun: true,
        undo: true,
      },
      organizations: {
        requestDeviceCode: answers('requestDeviceCode', () => ({
          id: '00000000-0000-4000-b000-000000000001',
          userCode: 'ABCD-EFGH',
          verificationUrl: 'https://login.example.com/device',
          expiresAt: 1_800_000_000_000,
          intervalMs: 5_000,
        })),
        checkDeviceCode: answers('checkDeviceCode', () => 'granted' as const),
        connect: accepted('connect', () => ({
          directoryId: recording.directory,
          domain: 'calloway.onmicrosoft.example',
          displayName: 'Calloway',
          applicationId: '00000000-0000-4000-b000-000000000002',
          certificate: { thumbprint: 'AB'.repeat(20), startsAt: 1, expiresAt: 1_900_000_000_000 },
          missingPermissions: [...recording.missing],
          isCertificateMissing: false,
        })),
        renewCertificate: answers('renewCertificate', () => ({
          thumbprint: 'CD'.repeat(20),
          startsAt: 2,
          expiresAt: 1_950_000_000_000,
        })),
        test: answers('test', () => ({
          services: [
            {
              service: 'exchange' as const,
              ok: recording.missing.length === 0,
              message: null,
              missingPermissions: recording.missing,
            },
          ],
          certificate: null,
        })),
        disconnect: answers('disconnect', () => undefined),
        listObjects: answers('listObjects', () => ({
          rows: [
            {
              kind: 'user' as const,
              id: 'u1',
              name: 'Ann',
              address: 'ann@example.com',
              children: null,
            },
          ],
          next: 'more',
          count: 2,
        })),
      },
      repositories: {
        create: answers('create', () => undefined),
        changePassword: answers('changePassword', () => undefined),
        changeStorageKeys: answers('changeStorageKeys', () => undefined),
        usage: answers('usage', () => ({
          storedBytes: 4_096,
          points: 3,
          verifiedAt: null,
          damagedItems: [],
          locks: null,
          storageRequests: null,
          attachment: null,
          cleanUp: null,
          verification: null,
        })),
        attach: answers('attach', () => ({ objectLock: null })),
        delete: answers('deleteRepository', () => undefined),
        cleanUp: answers('cleanUp', () => undefined),
        verify: answers('verify', () => undefined),
      },
      jobs: {
        start: answers('start', () => '00000000-0000-4000-b000-000000000003'),
        stop: answers('stop', () => undefined),
        setEnabled: answers('setEnabled', () => undefined),
        listSessions: answers('listSessions', () => ({ rows: [], next: null, count: 0 })),
        listLog: answers('listLog', () => ({
          rows: [{ n: 1, at: 5, level: 'info' as const, message: 'The session started.' }],
          next: null,
          count: 1,
        })),
      },
      listPoints: unused,
      openExplorer: answers('openExplorer', () => ({
        id: randomUUID(),
        workload: 'outlook' as const,
        point: {
          id: randomUUID(),
          job: randomUUID(),
          at: 1_700_000_000_000,
          changes: 1,
          result: 'success' as const,
          lacks: [],
        },
        endsAt: 1_900_000_000_000,
      })),
      stopExplorer: unused,
      listChildren: unused,
      listVersions: unused,
      compare: unused,
      compareFolder: unused,
      readProduction: unused,
      search: unused,
      locateItem: unused,
      nameNodes: unused,
      getSize: unused,
      readContent: unused,
      prepareDownload: unused,
      readDownload: unused,
      restore: unused,
      estimate: unused,
      undo: unused,
      getTask: unused,
      listTasks: unused,
      listResults: unused,
      cancel: unused,
    },
  };
  return recording;

  /** As `answers`, if the caller accepts the tenant. */
  function accepted<T>(name: string, value: () => T) {
    const answer = answers(name, value);
    return async (
      scope: { readonly organization: string; readonly user: string | null },
      input: ConnectInput,
    ): Promise<EngineResult<T>> => {
      const answered = await answer(scope, input);
      const allowed = await input.accept?.(recording.directory);
      return answered.ok && allowed?.ok === false ? allowed : answered;
    };
  }

  function answers<T>(name: string, value: () => T) {
    return (
      scope: { readonly organization: string; readonly user: string | null },
      input?: unknown,
    ): Promise<EngineResult<T>> => {
      calls.push({ name, organization: scope.organization, user: scope.user, input });
      const error = failing.get(name);
      return Promise.resolve(
        error === undefined ? { ok: true, value: value() } : { ok: false, error },
      );
    };
  }
}
