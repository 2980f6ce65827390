import { ACCOUNT } from './messages/account.messages.en.ts';
import { BASE } from './messages/base.messages.en.ts';
import { MONITORING } from './messages/monitoring.messages.en.ts';
import { PEOPLE } from './messages/people.messages.en.ts';
import { REPORTS } from './messages/reports.messages.en.ts';

type Failures = typeof BASE & typeof MONITORING & typeof ACCOUNT & typeof PEOPLE & typeof REPORTS;

/**
 * Every sentence a person reads about a failure, in the language of the page. Sentences of the
 * specification's catalogue stay to the letter. What belongs to the first load takes its own part
 * from `messages/`.
 */
export const MESSAGES: Failures = Object.defineProperties(
  {} as Failures,
  Object.assign(
    {},
    ...[BASE, MONITORING, ACCOUNT, PEOPLE, REPORTS].map((catalog) =>
      Object.getOwnPropertyDescriptors(catalog),
    ),
  ) as PropertyDescriptorMap,
);
