import type {
  DownloadFormat,
  DownloadInput,
  PreparedDownload,
} from '#contract/engine/downloads.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes, DownloadId, Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { ServerDownload } from '#server/platform/db/database-vb365.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { downloadMessages } from '../../shared/downloads.messages.en.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import { safePart } from '../../shared/entry-names.ts';
import { failed, ok } from '../../result.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from '../servers.ts';
import { FileCheck } from './check-file.ts';
import { hasEnded, isSessionOver, type OpenExplorer, releaseSession } from './explorers.ts';
import { measure } from './measure.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { type KnownNode, loadNodes } from './nodes.ts';
import { findSave, makeSaveCommand, type Save } from './save-commands.ts';

/** How long the first byte may take: the server packs everything before it. */
const FIRST_BYTE_MS: Ms = 11 * 60 * 60_000;
/** How long no later byte may arrive. */
const LONGEST_PAUSE_MS: Ms = 10 * 60_000;
/** How often it is checked whether the download is still wanted, and its session used. */
const CHECK_MS: Ms = 5_000;
const USE_MS: Ms = 2 * 60_000;

/** What a download holds, about, and what its file is called. The server makes it later. */
export async function prepareDownload(
  server: OpenedServer,
  explorer: OpenExplorer,
  known: readonly KnownNode[],
  { nodes, within, format, maxBytes }: DownloadInput,
  id: DownloadId,
): Promise<EngineResult<PreparedDownload>> {
  const [first, ...others] = known;
  const object = within ?? first?.object_id;
  if (
    first === undefined ||
    known.length < new Set(nodes).size ||
    known.some((node) => node.object_id !== object)
  )
    return failed('missing', explorerMessages.noNode);
  const save = findSave(explorer.workload, [first, ...others], format);
  if (!save.ok) return save;
  const size = await measure(server.client, explorer, known);
  if (size.items === 0) return failed('missing', downloadMessages.nothing);
  if (maxBytes !== null && size.bytes > maxBytes) return ok({ kind: 'too-large' });
  const { items, bytes } = size;
  const fileName = getName(save.value);
  const made = save.value.format;
  return ok({
    kind: 'prepared',
    id,
    format: made,
    fileName,
    isListed: true,
    bytes,
    items,
    missing: 0,
    hash: id,
  });
}

const getName = ({ kind, name }: Save): string | null =>
  name === null ? null : safePart(kind === 'msg' ? `${name.slice(0, MAX_STEM)}.msg` : name);
const MAX_STEM = 200;

/** What writes a file that the server makes. */
export interface SaveInput {
  readonly tenant: TenantId;
  readonly organization: OrganizationId;
  readonly request: ServerDownload;
  /** More than this has no room. */
  readonly roomBytes: Bytes;
  write(piece: Uint8Array, at: Bytes): Promise<void>;
  /** Called with what has arrived, now and then. False: it was canceled. */
  isWanted(bytes: Bytes): Promise<boolean>;
}
/** `broken`: it arrived in part. `left`: it was canceled. */
export type SaveEnd =
  | { readonly kind: 'saved'; readonly bytes: Bytes; readonly extension: string | null }
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'left' };

/** What the background job of a download needs of the engine. */
export interface ServerDownloads {
  saveDownload(input: SaveInput): Promise<EngineResult<SaveEnd>>;
  /** Stops the session on the server if nothing needs it any more. */
  releaseDownload(input: Pick<SaveInput, 'tenant' | 'organization' | 'request'>): Promise<void>;
}

export function makeServerDownloads(
  context: () => AppContext,
  servers: Vb365Servers,
): ServerDownloads {
  return {
    async saveDownload(input) {
      const opened = await servers.open(input);
      if (!opened.ok) return opened;
      return save(context(), opened.value, input);
    },
    async releaseDownload({ tenant, organization, request }) {
      const opened = await servers.open({ tenant, organization });
      if (opened.ok) await releaseSession(context(), tenant, opened.value.client, request.explorer);
    },
  };
}

async function save(
  context: AppContext,
  server: OpenedServer,
  input: SaveInput,
): Promise<EngineResult<SaveEnd>> {
  const { tenant, organization, request } = input;
  const { client } = server;
  const found = await context.store.tenant(tenant, async (tx) => ({
    nodes: await loadNodes(tx, organization, request.nodes),
    explorer: await tx.sql
      .selectFrom('vb365_explorer')
      .select(['session_key as key', 'workload'])
      .where('tenant_id', '=', tenant)
      .where('id', '=', request.explorer)
      .executeTakeFirst(),
  }));
  const [first, ...others] = found.nodes;
  const { explorer } = found;
  if (first === undefined || explorer === undefined) return failed('ended', t.endedThere);
  const nodes = [first, ...others] as const;
  const chosen = findSave(explorer.workload, nodes, request.format as DownloadFormat);
  if (!chosen.ok) return chosen;
  const leave = new AbortController();
  const check = new FileCheck();
  let arrivedAt = context.clock.now();
  const stop = watch(context, {
    everyMs: CHECK_MS,
    look: async () => {
      if (check.bytes > 0 && context.clock.now() - arrivedAt > LONGEST_PAUSE_MS)
        leave.abort(STALLED);
      if (!(await input.isWanted(check.bytes))) leave.abort();
    },
    useEveryMs: USE_MS,
    // Asking for it is using it.
    use: async () => void (await isSessionOver(client, explorer.key)),
  });
  try {
    const command = await makeSaveCommand(server, explorer, nodes, chosen.value.kind);
    const file = await client.open({ ...command, signal: leave.signal }, FIRST_BYTE_MS);
    const expected = file.bytes ?? (chosen.value.kind === 'file' ? first.bytes : null);
    const max = Math.min(request.maxBytes ?? Infinity, input.roomBytes);
    if ((expected ?? 0) > max) leave.abort(TOO_LARGE);
    for await (const piece of file.stream) {
      if (check.bytes + piece.byteLength > max) leave.abort(TOO_LARGE);
      if (leave.signal.aborted) break;
      await input.write(piece, check.bytes);
      check.add(piece);
      arrivedAt = context.clock.now();
    }
    if (leave.signal.aborted) return getLeft(leave, input, client.host);
    return ok(getEnd(check, expected, chosen.value, client.host));
  } catch (error) {
    if (leave.signal.aborted) return getLeft(leave, input, client.host);
    if (!(error instanceof SourceError)) throw error;
    if (await hasEnded(client, explorer.key, error)) return failed('ended', t.endedThere);
    if (check.bytes === 0) return toFailed(error);
    return ok({ kind: 'broken', message: error.message });
  } finally {
    stop();
  }
}
const TOO_LARGE = 'too-large';
const STALLED = 'stalled';

function getLeft(
  { signal }: AbortController,
  { request: { maxBytes }, roomBytes }: Pick<SaveInput, 'request' | 'roomBytes'>,
  host: string,
): EngineResult<SaveEnd> {
  if (signal.reason === STALLED)
    return ok({ kind: 'broken', message: t.stalled({ host, minutes: LONGEST_PAUSE_MS / 60_000 }) });
  if (signal.reason !== TOO_LARGE) return ok({ kind: 'left' });
  return failed('conflict', (maxBytes ?? Infinity) <= roomBytes ? t.needsFactor : t.noRoom);
}

/** A file without its end is never taken for whole. */
function getEnd(check: FileCheck, expected: Bytes | null, { kind }: Save, host: string): SaveEnd {
  const { bytes } = check;
  if (expected !== null && bytes !== expected)
    return { kind: 'broken', message: t.changedSize({ sent: bytes, expected }) };
  if (kind === 'file') return { kind: 'saved', bytes, extension: null };
  const found = check.kind;
  if (found === 'other') return { kind: 'broken', message: t.noFile({ host }) };
  return check.isWhole
    ? { kind: 'saved', bytes, extension: found }
    : { kind: 'broken', message: t.cutFile({ host }) };
}

interface Watch {
  readonly everyMs: Ms;
  readonly look: () => Promise<void>;
  readonly useEveryMs: Ms;
  readonly use: () => Promise<void>;
}
/** Looks now and then until it is stopped. What fails is looked at again. */
function watch({ clock }: AppContext, { everyMs, look, useEveryMs, use }: Watch): () => void {
  let isOver = false;
  let usedAt = clock.now();
  let timer = { cancel: () => {} };
  const next = (): void => {
    if (!isOver) timer = clock.after(everyMs, () => void turn());
  };
  const turn = async (): Promise<void> => {
    try {
      await look();
      if (clock.now() - usedAt >= useEveryMs) {
        usedAt = clock.now();
        await use();
      }
    } catch {
      // The next turn looks again.
    }
    next();
  };
  next();
  return () => {
    isOver = true;
    timer.cancel();
  };
}
