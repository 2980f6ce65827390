/** People that are excluded from backups on request. */

export {
  hidePerson,
  isBeingRemoved,
  loadRemovals,
  releasePerson,
  type Removal,
} from '../embedded/repositories/exclusions.ts';
