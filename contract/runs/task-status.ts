/**
 * The status of one object of a run (a machine, a share, a mailbox, a path), worst first.
 * `Pending`: not started yet.
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

/** Whether the object's data was backed up, with or without a warning. */
export const isDoneTask = ({ status }: { readonly status: TaskStatus }): boolean =>
  status === 'Success' || status === 'Warning';
