import type { EngineResult, EngineScope, EngineId } from '#contract/engine/engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { CompareCalls } from '../../shared/calls.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import type { EstimateCalls } from '../../shared/calls.ts';
import { type AuditDetail, recordCall } from '../../shared/record-call.ts';
import type { RestoreCalls } from '../../shared/calls.ts';
import type { ReadScope } from '../../read-scope.ts';
import { done, failed, ok } from '../../result.ts';
import { withSignal } from '../client.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from '../servers.ts';
import { loadJobIds } from '../store-organization.ts';
import { chooseKinds, listChildren } from './children.ts';
import { readServerContent } from './content.ts';
import { makeServerDownloads, prepareDownload, type ServerDownloads } from './downloads.ts';
import {
  endExplorer,
  hasEnded,
  keepUsed,
  type OpenExplorer,
  openSession,
  stopIdleSessions,
  stopQuietly,
  storeClosed,
  storeExplorer,
  useExplorer,
} from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { forgetOldNodes, loadNodes, nameNodes, storeNodes } from './nodes.ts';
import { measure } from './measure.ts';
import { listPoints } from './points.ts';
import { makeRights } from './rights.ts';
import { makeTaskCalls } from './task-calls.ts';
import { isInChannel } from './teams.ts';
import { listVersions, parseVersion } from './versions.ts';
import type { DownloadId, ExplorerId, NodeId } from '#contract/ids.ts';

/** What the engine offers of reading backups. The rest is `unsupported`. */
export type Vb365RestoreCalls = RestoreCalls & CompareCalls & EstimateCalls & ServerDownloads;

/**
 * Reads backups in restore sessions of the server. Nothing waits for it in a transaction, and nothing
 * is answered without its record (G63).
 */
export function makeVb365RestoreCalls(
  context: () => AppContext,
  servers: Vb365Servers,
): Vb365RestoreCalls {
  const inTx = <T>(scope: EngineScope, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context().store.tenant(scope.tenant, work);
  const record = (
    tx: TenantTx,
    scope: EngineScope,
    what: string,
    detail: AuditDetail,
  ): Promise<void> => recordCall(tx, context(), scope, { what, detail });

  /** Restore operators have no roles here. */
  const open = async (scope: EngineScope): Promise<EngineResult<OpenedServer>> =>
    scope.operator === undefined ? servers.open(scope) : failed('forbidden', t.notOffered);

  const ask = async <T>(
    scope: EngineScope,
    work: (server: OpenedServer) => Promise<EngineResult<T>>,
  ): Promise<EngineResult<T>> => {
    const server = await open(scope);
    if (!server.ok) return server;
    return work(server.value).catch(toFailed);
  };

  /** Asks the server in a session. One that it has ended is ended here too. */
  const askSession = async <T>(
    scope: EngineScope,
    explorer: ExplorerId,
    work: (server: OpenedServer, explorer: OpenExplorer) => Promise<EngineResult<T>>,
  ): Promise<EngineResult<T>> => {
    const used = await inTx(scope, (tx) => useExplorer(tx, scope, explorer, context().clock.now()));
    if (!used.ok) return used;
    return ask(scope, async (server) => {
      try {
        return await keepUsed(context(), scope.tenant, explorer, () => work(server, used.value));
      } catch (error) {
        if (!(await hasEnded(server.client, used.value.key, error))) throw error;
        await inTx(scope, (tx) => endExplorer(tx, scope, explorer, context().clock.now()));
        return failed('ended', t.endedThere);
      }
    });
  };

  const findNode = (scope: EngineScope, id: NodeId) =>
    inTx(scope, async (tx) => (await loadNodes(tx, scope.organization, [id]))[0] ?? null);

  return {
    listPoints: ({ signal, ...scope }: ReadScope, input) =>
      ask(scope, async (server) => {
        const jobs = await inTx(scope, (tx) => loadJobIds(tx, scope.organization));
        const page = await listPoints(
          { ...server, client: withSignal(server.client, signal) },
          jobs,
          input,
        );
        if (page.ok)
          await inTx(scope, (tx) =>
            record(tx, scope, READ, { read: 'points', rows: page.value.rows.length }),
          );
        return page;
      }),

    openExplorer: (scope, input) =>
      ask(scope, async (server) => {
        const jobs = await inTx(scope, (tx) => loadJobIds(tx, scope.organization));
        const now = context().clock.now();
        const opened = await openSession(
          { ...server, jobs },
          input,
          context().chance.uuid() as ExplorerId,
          now,
          (pointAt) =>
            stopIdleSessions(context(), scope, server.client, {
              workload: input.workload,
              pointAt,
            }),
        );
        if (!opened.ok) return opened;
        const { explorer, session } = opened.value;
        await inTx(scope, async (tx) => {
          await forgetOldNodes(tx, scope.organization, now);
          await storeExplorer(tx, scope, explorer, session, now);
          const { id, workload, point } = explorer;
          await record(tx, scope, 'restoresession.opened', {
            session: id,
            workload,
            point: point.id,
          });
        });
        return ok(explorer);
      }),

    async stopExplorer(scope, { explorer }) {
      const ended = await inTx(scope, async (tx) => {
        const result = await endExplorer(tx, scope, explorer, context().clock.now());
        if (result.ok) await record(tx, scope, 'restoresession.stopped', { session: explorer });
        return result;
      });
      if (!ended.ok || !ended.value.mustStop) return ended.ok ? done : ended;
      // It has ended here, whether or not the server can be reached.
      await ask(scope, async ({ client }) => {
        if (await stopQuietly(client, ended.value.session))
          await inTx(scope, (tx) => storeClosed(tx, explorer));
        return done;
      });
      return done;
    },

    async listChildren({ signal, ...scope }: ReadScope, input) {
      const listed = await askSession(scope, input.explorer, async ({ client }, explorer) => {
        const { parent, within } = input;
        const node = parent === null ? null : await findNode(scope, parent);
        if (parent !== null && (node === null || !isWithin(node, within) || parseVersion(node)))
          return failed('missing', explorerMessages.noNode);
        if (input.channel !== undefined) {
          const channel = await findNode(scope, input.channel);
          if (channel === null || node === null || !isInChannel(node, channel))
            return failed('missing', explorerMessages.noNode);
        }
        const listed = await listChildren(withSignal(client, signal), explorer, node, input);
        if (!listed.ok) return listed;
        const { page, shown } = chooseKinds(listed.value, input);
        await inTx(scope, async (tx) => {
          await storeNodes(tx, scope.organization, shown, context().clock.now());
          await record(tx, scope, READ, {
            read: input.text === null ? 'list' : 'search',
            session: input.explorer,
            node: parent,
            only: input.only,
            rows: page.rows.length,
          });
        });
        return ok(page);
      });
      // A refused search doesn't mean that the session has ended.
      return !listed.ok && listed.error.kind === 'conflict' && input.text !== null
        ? failed('invalid', listed.error.message, { field: 'search' })
        : listed;
    },

    nameNodes: (scope, { explorer, nodes }) =>
      inTx(scope, async (tx) => {
        const used = await useExplorer(tx, scope, explorer, context().clock.now());
        if (!used.ok) return used;
        const named = await nameNodes(tx, scope.organization, nodes);
        await record(tx, scope, READ, {
          read: 'list',
          session: explorer,
          node: nodes[0] ?? null,
          rows: named.length,
        });
        return ok(named);
      }),

    readContent: ({ signal, ...scope }: ReadScope, input) =>
      askSession(scope, input.explorer, async ({ client }, explorer) => {
        const node = await findNode(scope, input.node);
        if (node === null || !isWithin(node, input.within))
          return failed('missing', explorerMessages.noNode);
        const content = await readServerContent(withSignal(client, signal), explorer, node, input);
        if (content.ok)
          await inTx(scope, (tx) =>
            record(tx, scope, READ, {
              read: 'content',
              session: input.explorer,
              node: input.node,
              as: input.as,
              from: input.from ?? null,
              to: input.to ?? null,
            }),
          );
        return content;
      }),

    listVersions: ({ signal, ...scope }: ReadScope, { explorer, node: wanted }) =>
      askSession(scope, explorer, async ({ client }, open) => {
        const node = await findNode(scope, wanted);
        if (node === null) return failed('missing', explorerMessages.noNode);
        const listed = await listVersions(withSignal(client, signal), open, node);
        if (!listed.ok) return listed;
        const { versions, shown } = listed.value;
        await inTx(scope, async (tx) => {
          await storeNodes(tx, scope.organization, shown, context().clock.now());
          await record(tx, scope, READ, {
            read: 'list',
            session: explorer,
            node: wanted,
            rows: versions.length,
          });
        });
        return ok(versions);
      }),

    getSize: (scope, { explorer, nodes }) =>
      askSession(scope, explorer, async ({ client }, open) => {
        const known = await inTx(scope, (tx) => loadNodes(tx, scope.organization, nodes));
        if (known.length < new Set(nodes).size) return failed('missing', explorerMessages.noNode);
        const size = await measure(client, open, known);
        await inTx(scope, (tx) =>
          record(tx, scope, READ, {
            read: 'size',
            session: explorer,
            node: nodes[0] ?? null,
            rows: size.items,
          }),
        );
        return ok(size);
      }),

    prepareDownload: (scope, input) =>
      askSession(scope, input.explorer, async (server, explorer) => {
        const known = await inTx(scope, (tx) => loadNodes(tx, scope.organization, input.nodes));
        const id = context().chance.uuid() as DownloadId;
        const prepared = await prepareDownload(server, explorer, known, input, id);
        if (prepared.ok && prepared.value.kind === 'prepared') {
          const { items, bytes } = prepared.value;
          await inTx(scope, (tx) =>
            record(tx, scope, READ, {
              read: 'download-list',
              session: input.explorer,
              node: input.nodes[0] ?? null,
              download: id,
              rows: items,
              bytes,
            }),
          );
        }
        return prepared;
      }),

    ...makeTaskCalls(context, inTx),
    ...makeServerDownloads(context, servers),
    needsSecondPerson: () => Promise.resolve(ok(false)),
    search: unsupported,
    locateItem: unsupported,
    compare: unsupported,
    compareFolder: unsupported,
    readProduction: unsupported,
    readDownload: unsupported,
    estimate: unsupported,
    restoreRights: makeRights(context, ask),
  };
}

const READ = 'backupcontent.read';
const unsupported = () => Promise.resolve(failed('unsupported', t.notOffered));

/** Whether a node belongs to the mailbox or drive `within`, if one is given. */
const isWithin = (
  { object_id: object }: { readonly object_id: EngineId },
  within: NodeId | undefined,
): boolean => within === undefined || within === object;
