import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { ItemVersion } from '#contract/engine/search.ts';
import type { WriteRequest } from '#server/platform/systems/client.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import { failed, ok } from '../../result.ts';
import type { Vb365Client, Vb365Version } from '../client.ts';
import type { OpenExplorer } from './explorers.ts';
import { toDriveItem } from './items.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { type KnownNode, makeNodeId, type ShownNode } from './nodes.ts';
import { DRIVES, inSession, part, readRows, SITES, TEAMS } from './pages.ts';
import { DriveItemShape, SiteItemShape, TeamFileShape } from './shapes.ts';
import { parseSiteKey, toSiteNode as toSiteItem } from './sites.ts';
import { parseTeamKey, toFile } from './teams.ts';

/** The newest versions are listed up to this many. */
const MAX_VERSIONS = 200;
const PAGE_ROWS = 200;
const VERSION_KEY = /^version:(\d{1,10}):(.*)$/s;

/** The node of an earlier version: its number on the server, and its item. Null: it is none. */
export function parseVersion<N extends Pick<KnownNode, 'item_key'>>(
  node: N,
): { readonly version: string; readonly item: N } | null {
  const [, version, key] = VERSION_KEY.exec(node.item_key) ?? [];
  return version === undefined || key === undefined
    ? null
    : { version, item: { ...node, item_key: key } };
}

const AnyRow = v.looseObject({});
const VersionedShape = v.looseObject({ versionId: v.nullish(v.number()) });
/** Of files of teams, the number has another name. */
const TeamVersionShape = v.looseObject({ version: v.nullish(v.number()) });

const getVersionId = (row: unknown): number | null =>
  v.parse(VersionedShape, row).versionId ?? null;

/** Where a file or a row is on the server, and how its versions are shown. */
interface Place {
  readonly path: string;
  readonly show: (row: unknown) => ShownNode | null;
  readonly number: (row: unknown) => number | null;
}

/** Lists the versions of a file or a row, the newest first: itself, and the earlier ones. */
export async function listVersions(
  client: Vb365Client,
  explorer: OpenExplorer,
  node: KnownNode,
): Promise<
  EngineResult<{ readonly versions: readonly ItemVersion[]; readonly shown: readonly ShownNode[] }>
> {
  const item = parseVersion(node)?.item ?? node;
  const place = await findPlace(client, explorer, item);
  if (place === null) return failed('unsupported', t.noVersions);
  const { path, show, number } = place;
  const now = await client.read(inSession(explorer, path), AnyRow);
  const present = { row: now as unknown, n: number(now) };
  const rows: { readonly row: unknown; readonly n: number }[] = [];
  const list = { path: `${path}/versions`, row: AnyRow };
  for (let offset = 0; rows.length < MAX_ROWS;) {
    const page = await readRows<unknown>(client, explorer, list, { offset, limit: PAGE_ROWS });
    for (const row of page.rows) {
      const n = number(row);
      if (n !== null && n !== present.n) rows.push({ row, n });
    }
    if (page.next === null || page.rows.length === 0) break;
    offset = page.next;
  }
  const earlier = rows.toSorted((a, b) => b.n - a.n).slice(0, MAX_VERSIONS - 1);
  const current = show(present.row);
  if (current === null) return failed('missing', explorerMessages.noNode);
  const shown = [current, ...earlier.flatMap(({ row, n }) => toVersion(show(row), n))];
  return ok({
    shown,
    versions: shown.flatMap(({ node: one, item: key }) =>
      one.kind === 'file' || one.kind === 'row'
        ? // Each is of its own time: which restore points have it, the server doesn't say.
          [{ node: { ...one, seen: getSeen(one.at, explorer) }, version: null, content: key }]
        : [],
    ),
  });
}
const MAX_ROWS = 10_000;

const getSeen = (at: number | null, { pointAt }: OpenExplorer) => ({
  first: at ?? pointAt,
  last: at ?? pointAt,
});

/** The node of an earlier version of what `shown` is. */
function toVersion(shown: ShownNode | null, n: number): readonly ShownNode[] {
  if (shown === null) return [];
  const item = `version:${n}:${shown.item}`;
  const id = makeNodeId('version', shown.object, item);
  return [{ ...shown, item, node: { ...shown.node, id } }];
}

async function findPlace(
  client: Vb365Client,
  explorer: OpenExplorer,
  item: KnownNode,
): Promise<Place | null> {
  const { object_key: object, item_key: key } = item;
  if (explorer.workload === 'onedrive' && item.kind === 'file')
    return {
      path: `${DRIVES}/${part(object)}/Documents/${part(key)}`,
      show: (row) =>
        parseRow(DriveItemShape, row, (it) => toDriveItem(explorer, object, 'file', it)),
      number: getVersionId,
    };
  const own = explorer.workload === 'sharepoint' ? parseSiteKey(item) : null;
  if (own?.type === 'document' || own?.type === 'item') {
    const { type, collection, id } = own;
    return {
      path: `${SITES}/${part(object)}/${collection}/${part(id)}`,
      show: (row) => parseRow(SiteItemShape, row, (it) => toSiteItem(explorer, object, type, it)),
      number: getVersionId,
    };
  }
  const inTeam = explorer.workload === 'teams' ? parseTeamKey(item) : null;
  if (inTeam?.type !== 'file') return null;
  const { channel, id } = inTeam;
  const isV7 = (await client.findVersion()) === 'v7';
  const base = `${TEAMS}/${part(object)}`;
  return {
    path: isV7
      ? `${base}/files/${part(id)}`
      : `${base}/channels/${part(channel)}/files/${part(id)}`,
    show: (row) => parseRow(TeamFileShape, row, (it) => toFile(explorer, object, channel, it)),
    number: (row) => v.parse(TeamVersionShape, row).version ?? null,
  };
}

function parseRow<S extends v.GenericSchema>(
  shape: S,
  row: unknown,
  show: (row: v.InferOutput<S>) => ShownNode,
): ShownNode | null {
  const parsed = v.safeParse(shape, row);
  return parsed.success ? show(parsed.output) : null;
}

/** The command about an item as one about a version of it: its path ends with what is done. */
export function toVersionCommand(
  command: WriteRequest,
  version: string,
  server: Vb365Version = 'v7',
): WriteRequest {
  const path = command.path.replace(/\/(\w+)$/, `/Versions/${version}/$1`);
  // Version 8 has bodies of its own for versions of sites.
  if (server === 'v7' || !command.path.includes(`/${SITES}/`)) return { ...command, path };
  const { documentVersion: _, ...body } = command.body as Readonly<Record<string, unknown>>;
  return { ...command, path, body };
}

/** Refuses what the server doesn't offer of versions: of teams none, and of others one at a time. */
export function refuseVersions(nodes: readonly KnownNode[], isTeams: boolean): EngineResult<void> {
  if (nodes.every((node) => parseVersion(node) === null)) return ok(undefined);
  if (isTeams) return failed('unsupported', t.teamVersions);
  return nodes.length === 1 ? ok(undefined) : failed('invalid', t.oneVersion, { field: 'nodes' });
}
