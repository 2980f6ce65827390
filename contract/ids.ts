/**
 * Ids and units. A value of one kind doesn't fit another. `kind` is for the compiler: no value has
 * it.
 *
 * Plain text is no id of a provider, user, key, device or command, nor of what is backed up and
 * restored: those come from a schema (`uuidSchema`) or a row, or are new. Plain text and numbers fit
 * all other kinds, so computed values need no cast.
 *
 * The server assigns small integers (`…N`) per tenant, in order of first appearance. Columns store
 * these.
 */
type OfKind<T extends string | number, K extends string> = T & { readonly kind?: K };

/** Tests declare `isLoose` here, so that they can write ids as literals. */
export interface IdChecks {}
type Checked<K extends string> = IdChecks extends { readonly isLoose: true }
  ? { readonly kind?: K }
  : { readonly kind: K };
export interface Brand<K extends string> extends Checked<K> {}

export type TenantId = string & Brand<'tenant'>; // UUID of the service provider
export type UserId = string & Brand<'user'>; // UUID
export type KeyId = string & Brand<'key'>; // UUID of an ingest key (a "connection")
export type CommandId = string & Brand<'command'>; // UUID created by the device
export type DeviceId = string & Brand<'device'>; // UUID created by the browser, one per database

export type ApiKeyId = string & Brand<'apiKey'>; // UUID of a user's API key
export type ImpersonationId = string & Brand<'impersonation'>;

// Backup and restore. UUIDs, or opaque ids of the engine.
export type OrganizationId = string & Brand<'organization'>;
export type LegalHoldId = string & Brand<'legalHold'>;
export type ExclusionId = string & Brand<'exclusion'>;
export type BackupRepositoryId = string & Brand<'backupRepository'>;
export type BackupJobId = string & Brand<'backupJob'>;
export type BackupSessionId = string & Brand<'backupSession'>;
export type PointId = string & Brand<'point'>;
export type ExplorerId = string & Brand<'explorer'>;
export type NodeId = string & Brand<'node'>;
export type TaskId = string & Brand<'task'>;
export type DownloadId = string & Brand<'download'>;
export type DeviceCodeId = string & Brand<'deviceCode'>;
export type DirectoryObjectId = OfKind<string, 'directoryObject'>; // the cloud's

export type CompanyN = OfKind<number, 'company'>;
export type JobN = OfKind<number, 'job'>;
export type RunN = OfKind<number, 'run'>;
export type ProblemN = OfKind<number, 'problem'>;
export type CauseN = OfKind<number, 'cause'>;

/** Milliseconds since 1970, UTC. */
export type Ms = OfKind<number, 'ms'>;
/** A duration in whole seconds. */
export type Seconds = OfKind<number, 'seconds'>;
/** Whole bytes. */
export type Bytes = OfKind<number, 'bytes'>;
/** A calendar day in UTC, `YYYY-MM-DD`: the unit in which runs are transferred. */
export type Day = OfKind<string, 'day'>;
