import { createHash } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import type { ImapFlow, ImapFlowError, ListResponse } from 'imapflow';
import type { ImapSecurity } from '#contract/engine/imports.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { pinCertificate } from '#server/platform/outbound/pinned-certificate.ts';
import { parseMime } from '../../mail/read-mime.ts';
import { type ArchivedState, MAX_MAIL_BYTES } from '../archives/archive.ts';
import { toFolderPath } from '../archives/folder-path.ts';
import { importMessages as t } from '../messages.en.ts';
import {
  type ArchiveStep,
  type EntryMark,
  MAX_STATES,
  type MailNow,
  withSummary,
} from '../archives/read-archive.ts';

/** What the thread is started with. `address`: the checked one of the host (OUTB-1). */
export interface ImapTask {
  readonly address: string;
  /** What its certificate must name; null: the address. */
  readonly serverName: string | null;
  readonly port: number;
  readonly security: ImapSecurity;
  readonly username: string;
  readonly password: string;
  /** PEM of the one certificate to trust. */
  readonly certificate: string | null;
  /** Tells folders of this mailbox from those of others that are imported into the same one. */
  readonly account: string;
  /** Where to continue in each folder, by scope. */
  readonly cursors: Readonly<Record<string, string>>;
  /** Only counts what there is. */
  readonly isTest: boolean;
  /** What was read before. */
  readonly readBytes: Bytes;
}

const CONNECT_MS: Ms = 20_000;
const SILENCE_MS: Ms = 120_000;
/** Mails that are listed at once, and how much of them is fetched at once. */
const PAGE_MAILS = 200;
const FETCH_BYTES: Bytes = 4 << 20;
/** Mails whose state is fetched at once. */
const PAGE_STATES = 1_000;

/** The scopes of cursors of mailboxes on servers. */
export const IMAP_SCOPE = 'imap:';

/**
 * Reads a mailbox folder by folder, in the order in which its mails arrived, and changes nothing in
 * it. It continues after the last mail of each folder that was read, as long as the server numbers
 * the folder as before (RFC 9051, 2.3.1.1).
 */
export async function* readImapMailbox(task: ImapTask): AsyncGenerator<ArchiveStep, void> {
  const client = await makeClient(task);
  // Without a listener, an error of the connection would end the thread.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const folders = await listFolders(client, task);
    yield { kind: 'listed', entries: folders.reduce((sum, { newMails }) => sum + newMails, 0) };
    if (!task.isTest) yield* readFolders(client, task, folders);
    await client.logout();
  } catch (error) {
    yield describeCut(error);
  } finally {
    client.close();
  }
}

/** The library is loaded when it is needed. */
async function makeClient(task: ImapTask): Promise<ImapFlow> {
  const library = await import('imapflow');
  const tls: ConnectionOptions = {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(task.certificate !== null && pinCertificate(task.certificate)),
  };
  return new library.ImapFlow({
    host: task.address,
    ...(task.serverName !== null && { servername: task.serverName }),
    port: task.port,
    secure: task.security === 'tls',
    ...(task.security !== 'tls' && { doSTARTTLS: task.security === 'starttls' }),
    auth: { user: task.username, pass: task.password },
    tls,
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: MAX_MAIL_BYTES + FETCH_BYTES,
    maxResponseSize: MAX_MAIL_BYTES + 2 * FETCH_BYTES,
  });
}

interface Cursor {
  readonly validity: string;
  readonly uid: number;
  /** Changes of the folder up to this number are known (RFC 7162); null: nobody counted them. */
  readonly modseq: string | null;
}
interface Folder {
  /** As the server names it. */
  readonly serverPath: string;
  readonly path: readonly string[];
  readonly wellKnown: string | null;
  readonly scope: string;
  readonly last: Cursor | null;
  /** An upper bound: some may have been deleted. */
  readonly newMails: number;
  /** Whether mails that were read before may be in another state now. */
  readonly hasChanges: boolean;
}

async function listFolders(client: ImapFlow, task: ImapTask): Promise<readonly Folder[]> {
  const listed = await client.list({
    statusQuery: { messages: true, uidNext: true, uidValidity: true, highestModseq: true },
  });
  const prefix = client.namespace?.prefix ?? '';
  return listed
    .filter((folder) => !isView(folder))
    .map((folder): Folder => {
      const last = readCursor(task.cursors[getScope(task.account, folder.path)]);
      const { messages = 0, uidNext, uidValidity, highestModseq } = folder.status ?? {};
      const isSame = last !== null && String(uidValidity) === last.validity;
      return {
        serverPath: folder.path,
        path: getPath(folder, prefix),
        wellKnown: SPECIAL_USES.get(folder.specialUse ?? '') ?? null,
        scope: getScope(task.account, folder.path),
        last,
        newMails: isSame
          ? Math.min(messages, Math.max(0, (uidNext ?? 1) - 1 - last.uid))
          : messages,
        hasChanges:
          isSame && messages > 0 && (last.modseq === null || last.modseq !== toText(highestModseq)),
      };
    })
    .filter(({ newMails, hasChanges }) => newMails > 0 || hasChanges)
    .toSorted((a, b) => (a.serverPath < b.serverPath ? -1 : 1));
}

/** Folders without mails of their own: names above others, and views of mails that are elsewhere. */
const isView = ({ flags }: ListResponse): boolean =>
  ['\\noselect', '\\nonexistent', '\\flagged', '\\important'].some((name) =>
    [...flags].some((flag) => flag.toLowerCase() === name),
  );

/** What folders are for (RFC 6154), as Microsoft 365 names it. */
const SPECIAL_USES: ReadonlyMap<string, string> = new Map([
  ['\\Inbox', 'inbox'],
  ['\\Sent', 'sentitems'],
  ['\\Drafts', 'drafts'],
  ['\\Trash', 'deleteditems'],
  ['\\Junk', 'junkemail'],
  ['\\Archive', 'archive'],
]);

/** Returns the folders from the top; without the one that some servers put all others in. */
function getPath({ path, delimiter }: ListResponse, prefix: string): readonly string[] {
  const own =
    prefix !== '' && path.length > prefix.length && path.startsWith(prefix)
      ? path.slice(prefix.length)
      : path;
  const names = delimiter === '' ? [own] : own.split(delimiter);
  const found = toFolderPath(
    names.map((name, at) => (at === 0 && /^inbox$/i.test(name) ? t.inbox : name)),
  );
  return found.length === 0 ? [t.inbox] : found;
}

const getScope = (account: string, path: string): string =>
  IMAP_SCOPE + createHash('sha256').update(`${account}\n${path}`).digest('hex').slice(0, 40);

function readCursor(cursor: string | undefined): Folder['last'] {
  const [, validity = '', uid = '', modseq = null] =
    /^(\d+):(\d+)(?::(\d+))?$/.exec(cursor ?? '') ?? [];
  return validity === '' ? null : { validity, uid: Number(uid), modseq };
}
const writeCursor = ({ validity, uid, modseq }: Cursor): string =>
  `${validity}:${uid}${modseq === null ? '' : `:${modseq}`}`;

const toText = (modseq: bigint | undefined): string | null => modseq?.toString() ?? null;

async function* readFolders(
  client: ImapFlow,
  task: ImapTask,
  folders: readonly Folder[],
): AsyncGenerator<ArchiveStep, void> {
  let position = task.readBytes;
  for (const folder of folders) {
    const { path, wellKnown, scope } = folder;
    const opened = await open(client, folder);
    if (opened === null) {
      yield { kind: 'reading', path, name: path.at(-1) ?? '', position, wellKnown };
      yield { kind: 'failed', reason: 'unreadable' };
      continue;
    }
    const { validity, uids, modseq, last } = opened;
    if (last !== null) yield* readStates(client, folder, last, modseq);
    for (let at = 0; at < uids.length; at += PAGE_MAILS)
      for (const group of await listPage(client, uids.slice(at, at + PAGE_MAILS))) {
        const sources = await fetchSources(client, group);
        for (const mail of group) {
          const source = sources.get(mail.uid);
          // It was deleted in the meantime.
          if (source === undefined) continue;
          position += mail.bytes;
          const cursor = writeCursor({ validity, uid: mail.uid, modseq });
          const mark: EntryMark = { scope, cursor };
          yield { kind: 'reading', path, name: `#${mail.uid}`, position, wellKnown, mark };
          yield source === 'too-large' || source === 'unreadable'
            ? source === 'too-large'
              ? { kind: 'skipped', reason: source }
              : { kind: 'failed', reason: source }
            : await withSummary({ mime: source, state: mail.state });
        }
      }
  }
}

interface OpenFolder {
  readonly validity: string;
  readonly modseq: string | null;
  /** Null: nothing of it was read so far, or the server numbers it from the beginning. */
  readonly last: Cursor | null;
  readonly uids: readonly number[];
}

/** Returns null if the server doesn't let us read the folder. */
async function open(client: ImapFlow, { serverPath, last }: Folder): Promise<OpenFolder | null> {
  try {
    const opened = await client.mailboxOpen(serverPath, { readOnly: true });
    const validity = String(opened.uidValidity);
    const isCounted = client.enabled.has('CONDSTORE') && opened.noModseq !== true;
    const modseq = isCounted ? toText(opened.highestModseq) : null;
    const same = last !== null && last.validity === validity ? last : null;
    const from = same === null ? 1 : same.uid + 1;
    const found = await client.search({ uid: `${from}:*` }, { uid: true });
    if (found === undefined || found === false) return null;
    // A range with `*` always has the last mail, also if that is before it.
    return {
      validity,
      modseq,
      last: same,
      uids: found.filter((uid) => uid >= from).toSorted((a, b) => a - b),
    };
  } catch (error) {
    if ((error as ImapFlowError).responseStatus === 'NO' && client.usable) return null;
    throw error;
  }
}

interface ListedMail {
  readonly uid: number;
  readonly bytes: Bytes;
  readonly state: ArchivedState;
}

/** Returns mails in groups that are fetched together. */
async function listPage(
  client: ImapFlow,
  uids: readonly number[],
): Promise<readonly (readonly ListedMail[])[]> {
  const mails: ListedMail[] = [];
  const query = { uid: true, flags: true, internalDate: true, size: true };
  for await (const { uid, size, flags, internalDate } of client.fetch([...uids].join(','), query, {
    uid: true,
  }))
    mails.push({
      uid,
      bytes: size ?? 0,
      state: toState(flags, internalDate),
    });
  const groups: ListedMail[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const mail of mails.toSorted((a, b) => a.uid - b.uid)) {
    bytes += mail.bytes;
    if (bytes > FETCH_BYTES) {
      groups.push([]);
      bytes = mail.bytes;
    }
    groups.at(-1)?.push(mail);
  }
  return groups;
}

const toState = (
  flags: Set<string> | undefined,
  internalDate: Date | string | undefined,
): ArchivedState => ({
  receivedAt: internalDate === undefined ? null : new Date(internalDate).getTime() || null,
  isRead: flags?.has('\\Seen') ?? false,
  isFlagged: flags?.has('\\Flagged') ?? false,
  isAnswered: flags?.has('\\Answered') ?? false,
});

/**
 * Yields the states of mails that were read before: of those that changed since, if the server counts
 * changes (RFC 7162), else of all.
 */
async function* readStates(
  client: ImapFlow,
  { path, scope }: Folder,
  last: Cursor,
  modseq: string | null,
): AsyncGenerator<ArchiveStep, void> {
  if (last.uid === 0 || (modseq !== null && modseq === last.modseq)) return;
  const states: MailNow[] = [];
  if (modseq === null || last.modseq === null) {
    const uids = (await client.search({ uid: `1:${last.uid}` }, { uid: true })) || [];
    for (let at = 0; at < uids.length; at += PAGE_STATES) {
      const page = uids.slice(at, at + PAGE_STATES).filter((uid) => uid <= last.uid);
      if (page.length > 0) states.push(...(await fetchStates(client, page.join(','), null)));
      while (states.length > MAX_STATES)
        yield { kind: 'states', path, states: states.splice(0, MAX_STATES), mark: null };
    }
  } else states.push(...(await fetchStates(client, `1:${last.uid}`, BigInt(last.modseq))));
  while (states.length > MAX_STATES)
    yield { kind: 'states', path, states: states.splice(0, MAX_STATES), mark: null };
  yield { kind: 'states', path, states, mark: { scope, cursor: writeCursor({ ...last, modseq }) } };
}

/** `since`: only mails that changed after this one; null: all. */
async function fetchStates(
  client: ImapFlow,
  range: string,
  since: bigint | null,
): Promise<readonly MailNow[]> {
  const query = { uid: true, flags: true, internalDate: true, size: true, headers: ['message-id'] };
  const options = { uid: true, ...(since !== null && { changedSince: since }) };
  const states: MailNow[] = [];
  for await (const { flags, internalDate, size = 0, headers } of client.fetch(
    range,
    query,
    options,
  )) {
    if (flags === undefined) continue;
    const head = await parseMime(Uint8Array.from(headers ?? [])).catch(() => null);
    const state = toState(flags, internalDate);
    states.push({ state, messageId: head?.messageId ?? null, bytes: size });
  }
  return states;
}

type Source = Uint8Array<ArrayBuffer> | 'too-large' | 'unreadable';

/** Returns the mails of a group by their numbers. One that the server can't send is found alone. */
async function fetchSources(
  client: ImapFlow,
  group: readonly ListedMail[],
): Promise<Map<number, Source>> {
  const sources = new Map<number, Source>();
  const small = group.filter(({ bytes }) => bytes <= MAX_MAIL_BYTES).map(({ uid }) => uid);
  for (const { uid, bytes } of group) if (bytes > MAX_MAIL_BYTES) sources.set(uid, 'too-large');
  if (small.length === 0) return sources;
  try {
    const query = { uid: true, source: true };
    for await (const { uid, source } of client.fetch(small.join(','), query, { uid: true }))
      if (source !== undefined) sources.set(uid, Uint8Array.from(source));
  } catch (error) {
    if ((error as ImapFlowError).responseStatus !== 'NO' || !client.usable) throw error;
    if (group.length === 1) sources.set(group[0]?.uid ?? 0, 'unreadable');
    else
      for (const mail of group)
        for (const [uid, source] of await fetchSources(client, [mail])) sources.set(uid, source);
  }
  return sources;
}

const TIMEOUTS = new Set(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT']);
/** Response codes of a server that doesn't refuse the password (RFC 9051, 7.1). */
const PASSING = new Set(['UNAVAILABLE', 'LIMIT', 'INUSE', 'SERVERBUG']);

/** Of OpenSSL, for a server that answers without TLS. */
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** Returns why the connection failed, with the codes of `describeError`. */
function describeCut(error: unknown): ArchiveStep {
  const {
    code = '',
    message,
    authenticationFailed,
    serverResponseCode,
    tlsFailed,
  } = error as ImapFlowError;
  const isRefused = authenticationFailed === true && !PASSING.has(serverResponseCode ?? '');
  return {
    kind: 'cut',
    code: isRefused
      ? 'EAUTH'
      : TIMEOUTS.has(code)
        ? 'ETIMEDOUT'
        : code === NO_TLS || (code === '' && tlsFailed === true)
          ? 'ETLS'
          : code,
    message,
  };
}
