import type { ServerTest, WebdavServer } from '#contract/engine/imports.ts';
import type { Bytes } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { releaseSlotDuring } from '#server/platform/http/concurrency.ts';
import { isCertificateError } from '#server/platform/outbound/error.ts';
import { readCertificate } from '#server/platform/outbound/pinned-certificate.ts';
import {
  getHttpsPlace,
  loadShownCertificate,
} from '#server/platform/outbound/shown-certificate.ts';
import {
  type ArchiveEnd,
  type EntryNote,
  readEntries,
  type ReadEntry,
  type ReaderLimits,
} from '../archive-thread-reader.ts';
import type { CutStep } from '../archives/read-archive.ts';
import { describeCut } from '../cut.ts';
import { importMessages as t } from '../messages.en.ts';
import type { WebdavTask } from './read-webdav-drive.ts';

const THREAD: Partial<ReaderLimits> = {
  script: new URL('./webdav-thread.ts', import.meta.url),
  // A large file over a slow line, after folders without new files.
  waitMs: 30 * 60_000,
};

interface Place {
  /** The versions of files that the drive has, by key. */
  readonly known: Readonly<Record<string, string>>;
  readonly skippedEntries: number;
  readonly readBytes: Bytes;
}

/** Reads what is new in a folder on a server in a thread, after what was read before. */
export const readWebdav = (
  context: AppContext,
  server: WebdavServer,
  { known, skippedEntries, readBytes }: Place,
  signal: AbortSignal,
  limits: Partial<ReaderLimits> = {},
): AsyncGenerator<ReadEntry | EntryNote | ArchiveEnd, void> =>
  readEntries(
    context,
    (n): WebdavTask => ({
      ...makeTask(context, server),
      known,
      skippedEntries: skippedEntries + n,
      readBytes: skippedEntries === 0 ? readBytes : 0,
    }),
    signal,
    { ...THREAD, ...limits },
  );

/** Signs in and lists the folder. Stores nothing. */
export const testWebdavServer = (context: AppContext, server: WebdavServer): Promise<ServerTest> =>
  releaseSlotDuring(async () => {
    if (server.certificate !== null && readCertificate(server.certificate) === null)
      return { isOk: false, message: t.certificateInvalid, seen: null };
    const task: WebdavTask = { ...makeTask(context, server), isTest: true };
    const end = new AbortController();
    for await (const entry of readEntries(context, () => task, end.signal, {
      ...THREAD,
      waitMs: TEST_MS,
    })) {
      if (entry.kind === 'listed') return { isOk: true, entries: entry.entries };
      if (entry.kind === 'cut') return toTest(context, entry, server);
    }
    const { hostname } = new URL(server.url);
    return { isOk: false, message: t.noWebdavServer({ host: hostname }), seen: null };
  });
const TEST_MS = 60_000;

async function toTest(
  context: AppContext,
  cut: CutStep,
  { url }: WebdavServer,
): Promise<ServerTest> {
  const place = new URL(url);
  return {
    isOk: false,
    message: describeCut(cut, place.hostname),
    seen: isCertificateError(cut)
      ? await loadShownCertificate(context, getHttpsPlace(place))
      : null,
  };
}

const makeTask = (
  { config }: AppContext,
  { url, username, password, certificate }: WebdavServer,
): WebdavTask => ({
  outbound: config.outbound,
  url,
  username,
  password,
  certificate,
  known: {},
  skippedEntries: 0,
  readBytes: 0,
  isTest: false,
});
