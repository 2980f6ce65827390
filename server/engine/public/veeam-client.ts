/** The client of Veeam Backup for Microsoft 365, and the shapes of what its servers answer. */

export { makeVb365Client, type Vb365Client } from '../vb365/client.ts';
export { commandJob, type JobAction } from '../vb365/job-commands.ts';
export { readLog } from '../vb365/read-sessions.ts';
export { getMessage } from '../vb365/session-message.ts';
export {
  JobShape,
  LicenseShape,
  OrganizationShape,
  ProxyShape,
  RepositoryShape,
  SessionShape,
  type Vb365Job,
  type Vb365LogItem,
  type Vb365Organization,
  type Vb365Session,
} from '../vb365/shapes.ts';
export { parseTime } from '../vb365/times.ts';
