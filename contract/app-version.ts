/**
 * The version of the app, in a file without imports. The first page reads it to detect that it now
 * runs another version than the last time.
 */
export const APP_VERSION = '2.2.14';
