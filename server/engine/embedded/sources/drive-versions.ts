import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { readBatch } from '../graph/batch.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import { download } from '../graph/download.ts';
import type { GraphResult } from '../graph/request.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed, ok } from '../../result.ts';
import type {
  FetchedVersion,
  FileVersion,
  ItemChange,
  ListedVersions,
  WantedVersion,
} from '../types.ts';
import { streamContent, SMALL_BYTES } from './content.ts';
import { inParallel } from './parallel.ts';
import { parseGraphTime, maybe } from './shapes.ts';

// Versions of files, as Graph's `driveItemVersion` describes them.
// Source: learn.microsoft.com/graph/api/driveitem-list-versions, driveitemversion-get-contents

const BATCH_SIZE = 4;

const text = maybe(v.string());
const identity = maybe(v.object({ displayName: text, email: text }));
const Version = v.object({
  id: v.string(),
  lastModifiedDateTime: text,
  lastModifiedBy: maybe(v.object({ user: identity, application: identity })),
  size: maybe(v.number()),
});
const FirstPage = v.object({
  'value': v.array(v.unknown()),
  '@odata.nextLink': v.optional(v.string()),
});

const itemPath = (drive: string, key: string): string =>
  `${drive}/items/${encodeURIComponent(key)}`;

/** Lists the versions of files that come before their present content, the newest first. */
export async function* listFileVersions(
  client: GraphClient,
  drive: string,
  files: readonly ItemChange[],
): AsyncGenerator<ListedVersions, void> {
  const results = await readBatch(
    client,
    files.map(({ key }) => ({ path: `${itemPath(drive, key)}/versions` })),
  );
  for (const [at, file] of files.entries()) {
    const listed = await readVersions(client, results[at] ?? failed('internal', ''));
    if (listed.ok) yield splitVersions(file, listed.value);
    else yield { file, versions: listed };
  }
}

async function readVersions(
  client: GraphClient,
  first: GraphResult<unknown>,
): Promise<EngineResult<readonly FileVersion[]>> {
  if (!first.ok) return { ok: false, error: first.error };
  const read = v.safeParse(FirstPage, first.value);
  if (!read.success) return failed('internal', t.unreadable);
  const rows: unknown[] = [...read.output.value];
  for (let link = read.output['@odata.nextLink'] ?? null; link !== null;) {
    const page: GraphResult<GraphPage<unknown>> = await client.page(link, v.looseObject({}));
    if (!page.ok) return { ok: false, error: page.error };
    rows.push(...page.value.rows);
    link = page.value.next;
  }
  const versions = rows.flatMap((row) => {
    const one = v.safeParse(Version, row);
    return one.success ? [toVersion(one.output)] : [];
  });
  return ok(versions.sort((a, b) => b.at - a.at));
}

/**
 * The newest is what the file has now: it is backed up as the file, unless it came after that. Programs
 * may give a file a date that its version doesn't have.
 */
function splitVersions(file: ItemChange, all: readonly FileVersion[]): ListedVersions {
  const [newest, ...versions] = all;
  const isPresent =
    newest !== undefined &&
    (newest.bytes === file.bytes || Math.abs(newest.at - file.changedAt) <= SAME_MS);
  return { file, versions: ok(versions), ...(isPresent && { present: newest.id }) };
}
/** Clocks of files and of their versions may differ by this much. */
const SAME_MS: Ms = 2_000;

function toVersion({ id, size, ...row }: v.InferOutput<typeof Version>): FileVersion {
  const { user, application } = row.lastModifiedBy ?? {};
  return {
    id,
    at: parseGraphTime(row.lastModifiedDateTime) ?? 0,
    people: user?.displayName ?? user?.email ?? application?.displayName ?? '',
    bytes: size ?? 0,
  };
}

const isSmall = ({ version }: WantedVersion): boolean => version.bytes <= SMALL_BYTES;

/** Reads versions of files: smaller ones several at a time, larger ones piece by piece. */
export async function* fetchFileVersions(
  client: GraphClient,
  drive: string,
  versions: readonly WantedVersion[],
): AsyncGenerator<FetchedVersion, void> {
  yield* inParallel(versions.filter(isSmall), BATCH_SIZE, async (one): Promise<FetchedVersion> => {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of getVersion(client, drive, one)) {
      if (!part.ok) return { ...one, content: part };
      parts.push(part.value);
      bytes += part.value.byteLength;
      // Listed with a fraction of its size.
      if (bytes > SMALL_BYTES)
        return { ...one, content: ok(streamContent(getVersion(client, drive, one))) };
    }
    return { ...one, content: ok(Buffer.concat(parts)) };
  });
  for (const one of versions.filter((version) => !isSmall(version)))
    yield { ...one, content: ok(streamContent(getVersion(client, drive, one))) };
}

const getVersion = (client: GraphClient, drive: string, { file, version }: WantedVersion) =>
  download(client.ports, client.scope, {
    bytes: version.bytes,
    hash: null,
    // A version never changes.
    isUnchanged: async () => ok(true),
    link: () =>
      client.location(
        `${itemPath(drive, file)}/versions/${encodeURIComponent(version.id)}/content`,
      ),
  });

/** Files of several drives: how the key of a file names its drive, and its own id there. */
export interface DriveKeys {
  readonly split: (key: string) => { readonly drive: string; readonly id: string };
  readonly join: (drive: string, id: string) => string;
}

/** Lists the versions of files that are in several drives. */
export async function* listVersionsByDrive(
  client: GraphClient,
  files: readonly ItemChange[],
  { split, join }: DriveKeys,
): AsyncGenerator<ListedVersions, void> {
  for (const [drive, own] of Map.groupBy(files, ({ key }) => split(key).drive)) {
    const plain = own.map((file) => ({ ...file, key: split(file.key).id }));
    for await (const one of listFileVersions(client, drivePathById(drive), plain))
      yield { ...one, file: { ...one.file, key: join(drive, one.file.key) } };
  }
}

/** Reads versions of files that are in several drives. */
export async function* fetchVersionsByDrive(
  client: GraphClient,
  versions: readonly WantedVersion[],
  { split, join }: DriveKeys,
): AsyncGenerator<FetchedVersion, void> {
  for (const [drive, own] of Map.groupBy(versions, ({ file }) => split(file).drive)) {
    const plain = own.map((one) => ({ ...one, file: split(one.file).id }));
    for await (const one of fetchFileVersions(client, drivePathById(drive), plain))
      yield { ...one, file: join(drive, one.file) };
  }
}

const drivePathById = (drive: string): string => `/drives/${encodeURIComponent(drive)}`;
