import { ACCOUNT } from './messages/account.messages.en.ts';
import { BASE } from './messages/base.messages.en.ts';
import { BILLING } from './messages/billing.messages.en.ts';
import { CALL_FAILURES } from './messages/calls.messages.en.ts';
import { MONITORING } from './messages/monitoring.messages.en.ts';
import { PEOPLE } from './messages/people.messages.en.ts';
import { REPORTS } from './messages/reports.messages.en.ts';

type Failures = typeof BASE &
  typeof CALL_FAILURES &
  typeof MONITORING &
  typeof ACCOUNT &
  typeof PEOPLE &
  typeof REPORTS &
  typeof BILLING;

/**
 * Every sentence about a failure that a person reads, in the language of the page. Sentences of the
 * specification's catalog stay to the letter. Code in the first load imports its own part from
 * `messages/` instead.
 */
export const MESSAGES: Failures = Object.defineProperties(
  {} as Failures,
  Object.assign(
    {},
    ...[BASE, CALL_FAILURES, MONITORING, ACCOUNT, PEOPLE, REPORTS, BILLING].map((catalog) =>
      Object.getOwnPropertyDescriptors(catalog),
    ),
  ) as PropertyDescriptorMap,
);
