/** Restore sessions: the types of their calls, the scope of operators, and places in lists. */

export { GRANTED_TOGETHER } from '../embedded/entra/permissions.ts';
export type { ReadScope } from '../read-scope.ts';
export type { CompareCalls, EstimateCalls, Oversight, RestoreCalls } from '../shared/calls.ts';
export { cursorAfter, readCursor } from '../shared/cursor.ts';
export { countRolePeople, getOperatorScope } from '../shared/role-scope.ts';
export { loadTaskPlace } from '../shared/task-place.ts';
