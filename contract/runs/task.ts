import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { TASK_STATUSES } from './task-status.ts';
import { nameText } from '../text-schema.ts';

const instant = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * One object as a source reports it. Times are ISO 8601 with a zone, sizes in bytes, durations in
 * seconds.
 */
const TaskInSchema = v.strictObject({
  name: nameText(),
  status: v.picklist(TASK_STATUSES),
  startTime: v.optional(v.nullable(instant)),
  durationSec: v.optional(v.nullable(count)),
  bytesTransferred: v.optional(v.nullable(count)),
  bytesProcessed: v.optional(v.nullable(count)),
  message: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.messageChars)))),
});
export type TaskIn = v.InferOutput<typeof TaskInSchema>;
export const TasksInSchema = v.pipe(v.array(TaskInSchema), v.maxLength(LIMITS.tasks));

/** The object as it is stored and returned. */
export const TaskSchema = v.object({
  name: v.string(),
  status: v.picklist(TASK_STATUSES),
  startTime: v.nullable(v.string()),
  durationSec: v.nullable(v.number()),
  bytesTransferred: v.nullable(v.number()),
  bytesProcessed: v.nullable(v.number()),
  message: v.nullable(v.string()),
});
export type Task = v.InferOutput<typeof TaskSchema>;

/** Returns the tasks worst first; equal ones stay in the order of the source (TASK-1). */
export const worstFirst = (tasks: readonly Task[]): Task[] =>
  tasks.toSorted((a, b) => TASK_STATUSES.indexOf(a.status) - TASK_STATUSES.indexOf(b.status));
