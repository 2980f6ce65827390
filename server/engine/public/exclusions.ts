/** People that are excluded from backups on request. */

export { isBeingRemoved } from '../embedded/repositories/exclusions.ts';
