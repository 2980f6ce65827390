import { apiTagMessages } from './api-tags.messages.en.ts';
import { ENGLISH, inLanguage } from './i18n/messages.ts';

/** The tags of the API's reference, in reading order. */
export const API_TAGS = [
  'apiKeys',
  'eventsAndSync',
  'results',
  'dailyWork',
  'rules',
  'hints',
  'sla',
  'tickets',
  'computers',
  'repositories',
  'licensing',
  'invoices',
  'scheduledReports',
  'ingest',
  'ping',
  'sources',
  'companies',
  'users',
  'notifications',
  'providers',
  'notices',
  'administration',
  'support',
  'signIn',
  'yourAccount',
  'other',
] as const;
export type ApiTag = (typeof API_TAGS)[number];

/** The texts of a tag in the reference itself, which is in English. */
export function getEnglishTag(tag: ApiTag): {
  readonly name: string;
  readonly description: string;
} {
  const english = inLanguage(apiTagMessages, ENGLISH);
  return { name: english[tag], description: english[`${tag}Hint`] };
}

/** The texts of a tag by its English name in the language of the page; null if it is unknown. */
export function translateTag(
  name: string,
): { readonly title: string; readonly description: string } | null {
  const tag = API_TAGS.find((one) => getEnglishTag(one).name === name);
  return tag === undefined
    ? null
    : { title: apiTagMessages[tag], description: apiTagMessages[`${tag}Hint`] };
}
