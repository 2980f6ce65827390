import { defineMessages } from '../i18n/messages.ts';

/** What is collected from a connected system. */
export const entityMessages = defineMessages('entities', {
  companies: 'Companies',
  organizations: 'Organizations',
  servers: 'Backup servers',
  agents: 'Backup agents',
  jobs: 'Jobs',
  agentJobs: 'Agent jobs',
  microsoft365Jobs: 'Microsoft 365 jobs',
  sessions: 'Sessions',
  repositories: 'Repositories',
  computers: 'Discovered computers',
  alarms: 'Alarms',
  licenses: 'Licenses',
});
