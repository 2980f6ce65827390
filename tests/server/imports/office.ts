import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReaderLimits } from '#server/engine/embedded/imports/archive-thread-reader.ts';
import { runImport } from '#server/engine/embedded/imports/run-import.ts';
import type { Store } from '#server/platform/db/store.ts';
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
