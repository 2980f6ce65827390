import { defineMessages } from '../i18n/messages.ts';

/** Why the schedule of a backup job never starts it. */
export const obstacleMessages = defineMessages('backup-obstacle', {
  previousDeleted:
    'The job {job}, which this job follows, was deleted. Choose another schedule for this job.',
  previousDeletedUnknown:
    'The job that this one follows was deleted. Choose another schedule for this job.',
  previousDisabled:
    'The job {job}, which this job follows, is disabled. Enable it or choose another schedule for this job.',
  windowClosed: 'The backup window has no hours. Choose at least one hour.',
  previousWindowClosed:
    'The backup window of the job {job}, which this job follows, has no hours. Choose at least one hour.',
  cycle: 'These jobs wait for each other. Choose another schedule for one of them.',
});
