import { ACCOUNT } from './messages/account.ts';
import { BASE } from './messages/base.ts';
import { MONITORING } from './messages/monitoring.ts';
import { PEOPLE } from './messages/people.ts';

/**
 * Every sentence a person reads about a failure. Words of the specification's catalogue stand to the letter. What belongs to the first load
 * takes its own part from `messages/`.
 */
export const MESSAGES = { ...BASE, ...MONITORING, ...ACCOUNT, ...PEOPLE } as const;
