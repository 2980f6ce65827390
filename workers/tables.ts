import type { FoldedTable, SmallTable } from './types.ts';

/** Tables whose rows a device folds from events. */
export const FOLDED_TABLES = [
  'company',
  'job',
  'cause',
  'problem',
  'key',
  'view',
  'shift',
  'preference',
] as const satisfies readonly FoldedTable[];
/** Every table that a device stores as rows. */
export const SMALL_TABLES = [...FOLDED_TABLES, 'lastSync'] as const satisfies readonly SmallTable[];

/** Their rows have text keys instead of numbers. */
const NAMED: ReadonlySet<SmallTable> = new Set(['key', 'view', 'shift', 'preference', 'lastSync']);
export const isNamed = (table: SmallTable): boolean => NAMED.has(table);
