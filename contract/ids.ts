/**
 * Ids and units. The server assigns small integers (`…N`) per tenant, in order of first appearance.
 * Columns store these.
 */
export type TenantId = string; // UUID of the service provider
export type UserId = string; // UUID
export type KeyId = string; // UUID of an ingest key (a "connection")
export type CommandId = string; // UUID created by the device
export type DeviceId = string; // UUID created by the browser, one per database

export type CompanyN = number;
export type JobN = number;
export type RunN = number;
export type ProblemN = number;
export type CauseN = number;

/** Milliseconds since 1970, UTC. */
export type Ms = number;
/** A duration in whole seconds. */
export type Seconds = number;
/** Whole bytes. */
export type Bytes = number;
/** A calendar day in UTC, `YYYY-MM-DD`: the unit in which runs are transferred. */
export type Day = string;
