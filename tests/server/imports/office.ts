import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputOf } from '#contract/calls.ts';
import type { ReaderLimits } from '#server/engine/embedded/imports/archive-thread-reader.ts';
import { runImport } from '#server/engine/embedded/imports/run-import.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aLibrary, type Library } from '../restore/content.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-import-runs-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** An organization with a repository, and the path of its imports. */
export async function openOffice(store: Store) {
  const library = await aLibrary(store);
  const downloadsDir = mkdtempSync(join(folder, 'files-'));
  (library.ground.context.config as { downloadsDir?: string }).downloadsDir = downloadsDir;
  const PATH = `o365/organizations/${library.ours.organization}/imports`;
  return { library, downloadsDir, PATH };
}

export const must = async <T>(
  answer: Promise<{ status: number; text: string; body: { data: T } }>,
) => {
  const { status, text, body } = await answer;
  if (status !== 200) throw new Error(text);
  return body.data;
};

/** Runs the import as a server does, until it has nothing more to do now. */
export const run = (
  { ground: { context }, office: { tenant } }: Library,
  id: string,
  {
    signal = new AbortController().signal,
    ...limits
  }: Partial<ReaderLimits> & {
    signal?: AbortSignal;
  } = {},
) =>
  runImport(
    context,
    context.embeddedEngine.sessions,
    limits,
  )({ tenant, payload: { import: id }, now: context.clock.now(), signal });

/** Sends a part of an archive as a page does. */
export async function send(
  { app, office }: Library,
  { url, ticket }: { readonly url: string; readonly ticket: string },
  from: number,
  bytes: Uint8Array,
): Promise<{ readonly status: number; readonly received: number | null }> {
  const answer = await app.request(
    `${url}?from=${from}`,
    {
      method: 'PUT',
      headers: { 'host': office.host, 'daybook-upload': ticket },
      body: new Uint8Array(bytes),
    },
    { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
  );
  const body = answer.status === 200 ? ((await answer.json()) as { receivedBytes: number }) : null;
  return { status: answer.status, received: body?.receivedBytes ?? null };
}

/** Creates an import and sends its archive. Returns its id. */
export async function upload(
  library: Library,
  who: Asker,
  path: string,
  archive: {
    readonly name: string;
    readonly bytes: Buffer;
    readonly content?: 'mail' | 'files';
    readonly mailbox?: { readonly name: string } | { readonly id: string };
  },
): Promise<string> {
  const { id } = await must(
    who<{ id: string }>('POST', path, {
      repositoryId: library.ours.repository,
      name: archive.name,
      bytes: archive.bytes.length,
      ...(archive.content !== undefined && { content: archive.content }),
      mailbox: archive.mailbox ?? { name: 'Ann before 2020' },
    }),
  );
  const started = await must(
    who<OutputOf<'startImportUpload'>>('POST', `${path}/${id}/upload`, {}),
  );
  await send(library, started, 0, archive.bytes);
  return id;
}
