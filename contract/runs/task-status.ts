/**
 * What became of one object of a run (a machine, a share, a mailbox, a path), worst first.
 * `Pending`: its turn has not come.
 */
export const TASK_STATUSES = [
  'Failed',
  'Error',
  'Warning',
  'Running',
  'Pending',
  'Success',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Whether its data are there: also where something is to be said against it. */
export const isDoneTask = ({ status }: { readonly status: TaskStatus }): boolean =>
  status === 'Success' || status === 'Warning';
