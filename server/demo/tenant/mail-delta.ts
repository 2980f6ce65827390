import { type EntityChange, deltaPage } from './delta.ts';
import { GraphError } from './graph-error.ts';
import { folderEntity } from './mail-entities.ts';
import type { FolderRow, MessageRow } from './mailbox-store.ts';
import { type GraphEntity, selectProperties } from './odata.ts';
import type { Tenant } from './store.ts';
import type { SyncState } from './sync-token.ts';

interface Departure {
  readonly id: string;
  readonly stable_id: string;
  readonly seq: number;
}

const TOKENS = { next: '$skiptoken', done: '$deltatoken' } as const;
const gone = (): GraphError =>
  new GraphError(410, 'SyncStateNotFound', 'The sync state generation is not found.');

/** Messages (or items) of one folder: what came, changed and left since the token. */
export function messageDelta(
  tenant: Tenant,
  request: Request,
  folder: FolderRow,
  as: {
    readonly type: 'message' | 'mailboxItem';
    readonly entity: (row: MessageRow, select: readonly string[] | null) => GraphEntity;
    readonly hasStableIds: boolean;
  },
): GraphEntity {
  return deltaPage(tenant, request, {
    scope: `${as.type}:${folder.id}`,
    kind: 'content',
    type: as.type,
    normalPage: 10,
    maxPage: 1000,
    tokens: TOKENS,
    gone,
    changes: (state, limit) => {
      const changed = messagesSince(tenant, folder.id, state, limit).map((row): EntityChange => ({
        seq: row.seq,
        entity: { '@odata.type': `#microsoft.graph.${as.type}`, ...as.entity(row, state.select) },
      }));
      const left = departuresSince(tenant, folder.id, state, limit).map(
        ({ seq, id, stable_id }): EntityChange => ({
          seq,
          entity: {
            '@odata.type': `#microsoft.graph.${as.type}`,
            'id': as.hasStableIds ? stable_id : id,
            '@removed': { reason: 'deleted' },
          },
        }),
      );
      return inOrder([...changed, ...left], limit);
    },
  });
}

const inOrder = (changes: readonly EntityChange[], limit: number): EntityChange[] =>
  [...changes].sort((a, b) => a.seq - b.seq).slice(0, limit);

function messagesSince(
  { store }: Tenant,
  folderId: string,
  state: SyncState,
  limit: number,
): MessageRow[] {
  const type = state.since === 0 ? null : state.changeType;
  if (type === 'deleted') return [];
  return store.all<MessageRow>(
    `select * from message where folder_id = ? and seq > ? and seq <= ? and received_at >= ?
       and entered_seq > ? and entered_seq <= ? order by seq limit ?`,
    folderId,
    state.at,
    state.until,
    state.receivedSince ?? 0,
    type === 'created' ? state.since : -1,
    type === 'updated' ? state.since : Number.MAX_SAFE_INTEGER,
    limit,
  );
}

/** Nothing can have left what a client is reading for the first time. */
function departuresSince(
  { store }: Tenant,
  scope: string,
  state: SyncState,
  limit: number,
): Departure[] {
  if (state.since === 0 || state.changeType === 'created' || state.changeType === 'updated')
    return [];
  return store.all<Departure>(
    'select * from departure where scope = ? and seq > ? and seq <= ? order by seq limit ?',
    scope,
    state.at,
    state.until,
    limit,
  );
}

/** The folders of a mailbox, nested ones too. */
export function folderDelta(
  tenant: Tenant,
  request: Request,
  mailbox: string,
  as: {
    readonly type: 'mailFolder' | 'mailboxFolder';
    readonly entity: (folder: FolderRow) => GraphEntity;
    readonly hasHidden: boolean;
  } = { type: 'mailFolder', entity: (folder) => folderEntity(tenant, folder), hasHidden: false },
): GraphEntity {
  const scope = `folders:${mailbox}`;
  return deltaPage(tenant, request, {
    scope: `${as.type}:${scope}`,
    kind: 'content',
    type: as.type,
    normalPage: 10,
    maxPage: 1000,
    tokens: TOKENS,
    gone,
    changes: (state, limit) => {
      const changed = tenant.store
        .all<FolderRow>(
          `select * from folder where mailbox = ? and seq > ? and seq <= ?
             and (well_known is null or well_known not in ('root', 'msgfolderroot', 'recoverableitemsdeletions'))
             and hidden <= ? order by seq limit ?`,
          mailbox,
          state.at,
          state.until,
          as.hasHidden ? 1 : 0,
          limit,
        )
        .map((row): EntityChange => ({
          seq: row.seq,
          entity: {
            '@odata.type': `#microsoft.graph.${as.type}`,
            ...selectProperties(as.entity(row), state.select, as.type),
          },
        }));
      const left = departuresSince(tenant, scope, state, limit).map(
        ({ seq, id }): EntityChange => ({
          seq,
          entity: {
            '@odata.type': `#microsoft.graph.${as.type}`,
            id,
            '@removed': { reason: 'deleted' },
          },
        }),
      );
      return inOrder([...changed, ...left], limit);
    },
  });
}
