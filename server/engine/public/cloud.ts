/** The connection to Microsoft's clouds. */

export { type CloudConnection, makeCloudConnection } from '../embedded/cloud.ts';
