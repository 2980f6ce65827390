import { sql } from 'kysely';

/**
 * Orders rows that nobody has changed as they were inserted. The clock of a test stands still, so many have
 * the same time, and the planner chooses their order.
 */
export const INSERTION_ORDER = sql`ctid`;
