/**
 * The version of the app. By itself: the first page compares it with the one that it started
 * before.
 */
export const APP_VERSION = '2.2.14';
