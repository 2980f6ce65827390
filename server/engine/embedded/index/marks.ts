// Keys in `listed_item` under scopes that no source uses.

/** Items and folders that were removed at the source. They end when the object has been read. */
export const REMOVED = '*removed';
/** Items whose content could not be read, or is damaged. The next session reads it again. */
export const FAILED = '*failed';
/** Files whose earlier versions have yet to be read. The next session reads them. */
export const UNREAD_VERSIONS = '*versions';
