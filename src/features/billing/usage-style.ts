/** The look of a table that has a heading per company and a line per product. */
export const USAGE_TABLE =
  'w-full border-collapse border-t-2 border-head-rule text-left [&_td]:px-2 [&_td]:py-1 [&_td:first-child]:pl-4 [&_td:last-child]:pr-4 [&_thead_th]:px-2 [&_thead_th]:py-2 [&_thead_th]:font-normal [&_thead_th]:text-ink-2 [&_thead_th:first-child]:pl-4 tablet:[&_td:first-child]:pl-5 tablet:[&_thead_th:first-child]:pl-5';

/** The cells of its units: on a phone they are the last ones that are shown. */
export const USAGE_UNIT = 'max-tablet:pr-4!';
