import { on } from 'node:events';
import { isIP, type Socket } from 'node:net';
import type { ImapServer, ServerTest } from '#contract/engine/imports.ts';
import type { Bytes } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { releaseSlotDuring } from '#server/platform/http/concurrency.ts';
import { getBlockList, unwrapAddress } from '#server/platform/http/network.ts';
import { checkedAddress, OutboundError } from '#server/platform/outbound/address.ts';
import { isCertificateError } from '#server/platform/outbound/error.ts';
import { readCertificate } from '#server/platform/outbound/pinned-certificate.ts';
import { loadShownCertificate } from '#server/platform/outbound/shown-certificate.ts';
import {
  type ArchiveEnd,
  type EntryNote,
  readEntries,
  type ReadEntry,
  type ReaderLimits,
} from '../archive-thread-reader.ts';
import type { CutStep } from '../archives/read-archive.ts';
import { describeCut, refuseCut } from '../cut.ts';
import { importMessages as t } from '../messages.en.ts';
import type { ImapTask } from './read-imap-mailbox.ts';

const THREAD: Partial<ReaderLimits> = {
  script: new URL('./imap-thread.ts', import.meta.url),
  // A large mail over a slow line.
  waitMs: 15 * 60_000,
};
/** Ports below 1024 that are allowed: other services than IMAP servers listen on the rest. */
const LOW_PORTS = new Set([143, 993]);
const FIRST_HIGH = 1_024;

interface Place {
  /** Where to continue in each folder, by scope. */
  readonly cursors: ReadonlyMap<string, string>;
  readonly readBytes: Bytes;
}

/** Reads the mails of a mailbox on a server in a thread, after those that were read before. */
export async function* readImap(
  context: AppContext,
  server: ImapServer,
  { cursors, readBytes }: Place,
  signal: AbortSignal,
  limits: Partial<ReaderLimits> = {},
): AsyncGenerator<ReadEntry | EntryNote | ArchiveEnd, void> {
  const read = new Map(cursors);
  let bytes = readBytes;
  const task = await makeTask(context, server, false);
  if ('kind' in task) return yield task;
  const getTask = (): ImapTask => ({
    ...task,
    cursors: Object.fromEntries(read),
    readBytes: bytes,
  });
  let isCounted = false;
  for await (const entry of readEntries(context, getTask, signal, { ...THREAD, ...limits })) {
    if (entry.kind === 'listed') {
      // Only the first thread counts all that is to be read.
      if (!isCounted) yield entry;
      isCounted = true;
      continue;
    }
    if (entry.kind === 'states') {
      if (entry.mark !== null) read.set(entry.mark.scope, entry.mark.cursor);
    } else if ('path' in entry) {
      if (entry.mark !== undefined) read.set(entry.mark.scope, entry.mark.cursor);
      bytes = entry.position;
    }
    yield entry;
  }
}

/** Signs in and counts the mails. Stores nothing. */
export const testImapServer = (context: AppContext, server: ImapServer): Promise<ServerTest> =>
  releaseSlotDuring(async () => {
    const task = await makeTask(context, server, true);
    if ('kind' in task) return toTest(context, task, server);
    const end = new AbortController();
    const entries = readEntries(context, () => task, end.signal, { ...THREAD, waitMs: TEST_MS });
    for await (const entry of entries) {
      if (entry.kind === 'listed') return { isOk: true, entries: entry.entries };
      if (entry.kind === 'cut') return toTest(context, entry, server);
    }
    return { isOk: false, message: t.noImapServer({ host: server.host }), seen: null };
  });
const TEST_MS = 60_000;

const toTest = async (
  context: AppContext,
  cut: CutStep,
  server: ImapServer,
): Promise<ServerTest> => ({
  isOk: false,
  message: describeCut(cut, server.host),
  seen: isCertificateError(cut)
    ? await loadShownCertificate(
        context,
        { hostname: server.host, port: server.port },
        server.security === 'starttls' ? startTls : null,
      )
    : null,
});

/** Returns whether TLS begins after the lines that ask for it (RFC 9051, 6.2.1). */
async function startTls(socket: Socket): Promise<boolean> {
  let text = '';
  let isRequested = false;
  for await (const part of on(socket, 'data', { close: ['end', 'close'] })) {
    text += (part as readonly Buffer[])[0]?.toString('latin1') ?? '';
    if (text.length > MAX_LINES_CHARS) return false;
    if (!isRequested && text.includes('\r\n')) {
      isRequested = true;
      socket.write('a STARTTLS\r\n');
    }
    const answer = /^a (OK|NO|BAD)\b.*\r\n/m.exec(text)?.[1];
    if (answer !== undefined) return answer === 'OK';
  }
  return false;
}
const MAX_LINES_CHARS = 8_192;

/** Resolves the host once, and checks what may be reached (OUTB-1). */
async function makeTask(
  context: AppContext,
  server: ImapServer,
  isTest: boolean,
): Promise<ImapTask | CutStep> {
  const { host, port, security, username, password, certificate } = server;
  if (port < FIRST_HIGH && !LOW_PORTS.has(port))
    return refuseCut(t.mailPort({ port: String(port) }));
  if (certificate !== null && readCertificate(certificate) === null)
    return refuseCut(t.certificateInvalid);
  try {
    const address = await checkedAddress(context, host);
    if (security === 'none' && !(context.config.outbound?.http === true && isLoopback(address)))
      return refuseCut(t.plainElsewhere);
    return {
      address,
      serverName: isIP(host) === 0 ? host : null,
      port,
      security,
      username,
      password,
      certificate,
      account: `${host.toLowerCase()}\n${username}`,
      cursors: {},
      isTest,
      readBytes: 0,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return error.kind === 'refused'
      ? refuseCut(error.message)
      : { kind: 'cut', code: 'ENOTFOUND', message: error.message };
  }
}

function isLoopback(address: string): boolean {
  const plain = unwrapAddress(address);
  return LOOPBACK.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}
const LOOPBACK = getBlockList(['127.0.0.0/8', '::1/128']);
