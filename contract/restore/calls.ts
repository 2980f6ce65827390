import { restoreContentCalls } from './content-calls.ts';
import { restoreSessionCalls } from './session-calls.ts';

/** The calls with which backups are browsed and restored. */
export const restoreCalls = { ...restoreSessionCalls, ...restoreContentCalls } as const;
