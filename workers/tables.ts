import type { SmallTable } from './seams.ts';

/** Every table that a device keeps as rows. */
export const SMALL_TABLES = ['company', 'job', 'cause', 'problem', 'key', 'view', 'shift', 'preference'] as const satisfies readonly SmallTable[];

/** Their rows are found by a text and not by a number. */
const NAMED: ReadonlySet<SmallTable> = new Set(['key', 'view', 'shift', 'preference']);
export const isNamed = (table: SmallTable): boolean => NAMED.has(table);
