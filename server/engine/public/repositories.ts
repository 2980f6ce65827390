/** Repositories of backups, in our own storage and on servers of Veeam Backup for Microsoft 365. */

export { loadObjectsOnHold } from '../embedded/repositories/legal-holds.ts';
export type { FinishRemoval } from '../vb365/lost-removals.ts';
export { getCreated, getUpdated } from '../vb365/repository-events.ts';
export { findRepositoryLink, setShortened } from '../vb365/repository-links.ts';
