import type { StartObstacle } from './chains.ts';
import { obstacleMessages as t } from './obstacle.messages.en.ts';

/** Returns why the schedule of a job never starts it, and what to do. */
export function obstacleText({ kind, jobName: job }: StartObstacle): string {
  switch (kind) {
    case 'job-deleted':
      return job === null ? t.previousDeletedUnknown : t.previousDeleted({ job });
    case 'job-disabled':
      return t.previousDisabled({ job: job ?? '' });
    case 'window-closed':
      return job === null ? t.windowClosed : t.previousWindowClosed({ job });
    case 'cycle':
      return t.cycle;
    default:
      return kind satisfies never;
  }
}
