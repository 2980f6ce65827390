/** Restore sessions: the types of their calls, the scope of operators, and places in lists. */

export type { CompareCalls } from '../embedded/compare/compare.ts';
export { GRANTED_TOGETHER } from '../embedded/entra/permissions.ts';
export { cursorAfter, readCursor } from '../embedded/explorer/cursor.ts';
export { countRolePeople, getOperatorScope } from '../embedded/operators/role-scope.ts';
export type { EstimateCalls } from '../embedded/restore/estimate.ts';
export type { Oversight, RestoreCalls } from '../embedded/restore/restore-engine.ts';
export { loadTaskPlace } from '../embedded/restore/task-place.ts';
export type { ReadScope } from '../read-scope.ts';
