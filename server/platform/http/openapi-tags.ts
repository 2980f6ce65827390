import { API_TAGS, getEnglishTag } from '#contract/api-tags.ts';
import type { ApiTag } from '#contract/api-tags.ts';

/** A call has the first tag whose pattern matches the beginning of its path. */
const PATTERNS: readonly (readonly [path: RegExp, tag: ApiTag])[] = [
  [/^(api-key$|(profile|users)\/\{id\}\/api-keys)/, 'apiKeys'],
  [/^sync\//, 'eventsAndSync'],
  [
    /^monitoring\/reporting\/(jobs|export)|^monitoring\/backoffice\/(jobExecutions|jobs)/,
    'results',
  ],
  [/^monitoring\/(views|hand-overs|reporting\/evidence)/, 'dailyWork'],
  [/^monitoring\/backoffice\/rules/, 'rules'],
  [/^monitoring\/backoffice\/hints/, 'hints'],
  [/^monitoring\/reporting\/[\w-]*sla/, 'sla'],
  [/^monitoring\/(backoffice\/ticket|reporting\/ticket)/, 'tickets'],
  [/^monitoring\/(reporting\/discovery|backoffice\/computers)/, 'computers'],
  [/^monitoring\/reporting\/repositories/, 'repositories'],
  [/^monitoring\/reporting\/licensing/, 'licensing'],
  [/^o365\/quickbooks/, 'invoices'],
  [/^monitoring\/reporting\/reports/, 'scheduledReports'],
  [/^ingest\//, 'ingest'],
  [/^ping$/, 'ping'],
  [/^monitoring\/(sources|connections)/, 'sources'],
  [/^(companies|monitoring\/reporting\/companies)/, 'companies'],
  [/^(users|monitoring\/reporting\/users)/, 'users'],
  [
    /^(monitoring|profile\/\{id\})\/((backoffice|reporting)\/)?(notify|webhooks|push)/,
    'notifications',
  ],
  [/^(service-providers|monitoring\/reporting\/service-providers|app\/)/, 'providers'],
  [/^notifications/, 'notices'],
  [/^admin\//, 'administration'],
  [/^monitoring\/backoffice\/support/, 'support'],
  [/^auth\//, 'signIn'],
  [/^profile\//, 'yourAccount'],
];

export const TAG_LIST = API_TAGS.map(getEnglishTag);

export const getPathTag = (path: string): string =>
  getEnglishTag(PATTERNS.find(([begins]) => begins.test(path))?.[1] ?? 'other').name;
