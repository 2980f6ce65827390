import type { BackupRepositoryId, Bytes, Ms } from '../ids.ts';
import type { EngineScope, EngineId, EnginePage, PageInput, Reply } from './engine.ts';
import type { ShownCertificate } from '../shown-certificate.ts';
import type { SessionResult } from './sessions.ts';

/** How ids of imported mailboxes begin, where others have the id of the tenant's directory. */
export const IMPORTED = 'import:';
/** How ids of imported drives begin. */
export const IMPORTED_DRIVE = `${IMPORTED}drive:`;
export const isImported = (directoryId: string): boolean => directoryId.startsWith(IMPORTED);

/** Mail from archives and servers, as restore points of mailboxes that no tenant has. */
export interface ImportCalls {
  /** Starts an import. One of an archive waits for it. */
  create(scope: EngineScope, input: ImportInput): Reply<EngineId>;
  /** Lets the user upload the archive, or continue with it. Earlier tickets end. */
  startUpload(scope: EngineScope, input: UploadStart): Reply<{ readonly receivedBytes: Bytes }>;
  /** Newest first. */
  list(scope: EngineScope, input: PageInput): Reply<EnginePage<Import>>;
  get(scope: EngineScope, input: { readonly id: EngineId }): Reply<Import>;
  /** Entries that were not imported, or only in part, in their order. */
  listResults(
    scope: EngineScope,
    input: { readonly id: EngineId } & PageInput,
  ): Reply<EnginePage<ImportResult>>;
  /** What was imported before stays. */
  stop(scope: EngineScope, input: { readonly id: EngineId }): Reply<void>;
  /** Signs in to a mailbox on a server, and counts its mails. */
  testImapServer(scope: EngineScope, server: ImapServer): Promise<ServerTest>;
  /** Signs in to a folder on a server, and counts what is in it. */
  testWebdavServer(scope: EngineScope, server: WebdavServer): Promise<ServerTest>;
  /** Mailboxes and drives that earlier imports made. */
  listMailboxes(scope: EngineScope): Reply<readonly ImportedMailbox[]>;
}

export interface ImportInput {
  readonly repository: BackupRepositoryId;
  readonly source: ArchiveSource | ImapSource | WebdavSource;
  /** The name of a new mailbox, or one of `listMailboxes` in the same repository. */
  readonly mailbox: { readonly name: string } | { readonly id: string };
}
/** What becomes of an archive: a mailbox, or a drive. */
export type ImportContent = 'mail' | 'files';

/** The archive's name and size. */
interface ArchiveSource {
  readonly kind: 'archive';
  readonly content: ImportContent;
  readonly name: string;
  readonly bytes: Bytes;
}
interface ImapSource {
  readonly kind: 'imap';
  readonly server: ImapServer;
}

interface WebdavSource {
  readonly kind: 'webdav';
  readonly server: WebdavServer;
}

/** `starttls`: TLS begins on a connection without it. `none`: only within the server itself. */
export type ImapSecurity = 'tls' | 'starttls' | 'none';
/** A mailbox on a server, without the password. */
interface ImapAccount {
  readonly kind: 'imap';
  readonly host: string;
  readonly port: number;
  readonly security: ImapSecurity;
  readonly username: string;
  /** PEM of the one certificate to trust instead of public authorities. */
  readonly certificate: string | null;
}
export interface ImapServer extends ImapAccount {
  readonly password: string;
}
/** A folder on a WebDAV server, without the password. */
interface WebdavAccount {
  readonly kind: 'webdav';
  readonly url: string;
  readonly username: string;
  readonly certificate: string | null;
}
export interface WebdavServer extends WebdavAccount {
  readonly password: string;
}
export type ServerAccount = ImapAccount | WebdavAccount;
export type ServerTest =
  | { readonly isOk: true; readonly entries: number }
  | {
      readonly isOk: false;
      readonly message: string;
      /** The server's certificate, if it isn't trusted. */
      readonly seen: ShownCertificate | null;
    };

export interface UploadStart {
  readonly id: EngineId;
  /** The session that uploads, and the hash of what it shows with each part. */
  readonly session: string;
  readonly ticketHash: string;
}
export interface ImportedMailbox {
  readonly id: string;
  readonly kind: 'mailbox' | 'drive';
  readonly name: string;
  readonly repository: BackupRepositoryId;
  readonly items: number;
}

export type ImportState = 'uploading' | 'queued' | 'running' | 'stopping' | 'done';
/** `known`: the mailbox had them already. `partial`: those of `imported` that something is missing of. */
export interface ImportCounts {
  readonly imported: number;
  readonly partial: number;
  readonly known: number;
  readonly skipped: number;
  readonly failed: number;
}
export interface Import {
  readonly id: EngineId;
  readonly repository: BackupRepositoryId;
  readonly source: 'archive' | ServerAccount['kind'];
  readonly content: ImportContent;
  readonly account: ServerAccount | null;
  readonly name: string;
  readonly bytes: Bytes;
  readonly receivedBytes: Bytes;
  /** How far into the archive it is. */
  readonly readBytes: Bytes;
  /** How many mails there are on the server, once they are counted, and how many were read. */
  readonly entries: number | null;
  readonly readEntries: number;
  readonly mailbox: string;
  readonly mailboxId: string;
  readonly state: ImportState;
  readonly result: SessionResult | null;
  readonly message: string | null;
  readonly counts: ImportCounts;
  readonly folders: readonly ImportFolder[];
  /** The restore point that it made; null: none so far. */
  readonly pointAt: Ms | null;
  readonly createdAt: Ms;
  readonly endedAt: Ms | null;
}
export interface ImportFolder extends ImportCounts {
  readonly path: string;
}
/** What was stored before items could be imported in part doesn't say how many were. */
export type StoredImportFolder = Omit<ImportFolder, 'partial'> &
  Partial<Pick<ImportFolder, 'partial'>>;
export interface ImportResult {
  readonly n: number;
  readonly path: string;
  readonly name: string;
  readonly outcome: 'skipped' | 'failed' | 'partial';
  readonly message: string;
}
