/** Returns the rows of one page. Pages count from 1. */
export const slicePage = <T>(rows: readonly T[], page: number, pageSize: number): readonly T[] =>
  rows.slice((page - 1) * pageSize, page * pageSize);
