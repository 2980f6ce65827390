/**
 * Ids and units. Small integers (`…N`) are given by the server, per tenant, in order of appearance:
 * they are what columns hold.
 */
export type TenantId = string; // uuid of the service provider
export type UserId = string; // uuid
export type KeyId = string; // uuid of an ingest key (a "connection")
export type CommandId = string; // uuid made by the device
export type DeviceId = string; // uuid made by the browser, one a database

export type CompanyN = number;
export type JobN = number;
export type RunN = number;
export type ProblemN = number;
export type CauseN = number;

/** Milliseconds since 1970, UTC. */
export type Ms = number;
/** Whole seconds: a length of time. */
export type Seconds = number;
/** Whole bytes. */
export type Bytes = number;
/** A calendar day in UTC, `YYYY-MM-DD`: the unit in which runs travel. */
export type Day = string;
