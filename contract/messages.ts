import { ACCOUNT } from './messages/account.ts';
import { BASE } from './messages/base.messages.en.ts';
import { MONITORING } from './messages/monitoring.ts';
import { PEOPLE } from './messages/people.ts';
import { REPORTS } from './messages/reports.ts';

/**
 * Every sentence a person reads about a failure. Words of the specification's catalogue stand to
 * the letter. What belongs to the first load takes its own part from `messages/`.
 */
export const MESSAGES = { ...BASE, ...MONITORING, ...ACCOUNT, ...PEOPLE, ...REPORTS } as const;
