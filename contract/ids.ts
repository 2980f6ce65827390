/**
 * Ids and units. A value of one kind doesn't fit another. Plain strings and numbers fit every kind,
 * so literals and computed values need no cast. `kind` is for the compiler: no value has it.
 *
 * The server assigns small integers (`…N`) per tenant, in order of first appearance. Columns store
 * these.
 */
type OfKind<T extends string | number, K extends string> = T & { readonly kind?: K };

export type TenantId = OfKind<string, 'tenant'>; // UUID of the service provider
export type UserId = OfKind<string, 'user'>; // UUID
export type KeyId = OfKind<string, 'key'>; // UUID of an ingest key (a "connection")
export type CommandId = OfKind<string, 'command'>; // UUID created by the device
export type DeviceId = OfKind<string, 'device'>; // UUID created by the browser, one per database

export type ApiKeyId = OfKind<string, 'apiKey'>; // UUID of a user's API key
export type ImpersonationId = OfKind<string, 'impersonation'>;

// Backup and restore. UUIDs, or opaque ids of the engine.
export type OrganizationId = OfKind<string, 'organization'>;
export type BackupRepositoryId = OfKind<string, 'backupRepository'>;
export type BackupJobId = OfKind<string, 'backupJob'>;
export type BackupSessionId = OfKind<string, 'backupSession'>;
export type PointId = OfKind<string, 'point'>;
export type ExplorerId = OfKind<string, 'explorer'>;
export type NodeId = OfKind<string, 'node'>;
export type TaskId = OfKind<string, 'task'>;
export type DownloadId = OfKind<string, 'download'>;
export type DeviceCodeId = OfKind<string, 'deviceCode'>;
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
