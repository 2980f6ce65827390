/** Importing the organizations of a server of Veeam Backup for Microsoft 365. */

export { type FoundOrganization, readOrganizations } from '../vb365/organizations.ts';
export { forgetServers, sealServerPassword, toFailed } from '../vb365/servers.ts';
export { scheduleWhole } from '../vb365/sync-server.ts';
