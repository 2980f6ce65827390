/**
 * What the calls are about, in the order in which a reader goes through them. The first that its
 * path begins with is a call's.
 */
const TAGS: readonly (readonly [path: RegExp, name: string, says: string])[] = [
  [
    /^(api-key$|(profile|users)\/\{id\}\/api-keys)/,
    'API keys',
    'What a key may do, and the keys of a user.',
  ],
  [
    /^sync\//,
    'Events and sync',
    'Everything that happens, as events after a cursor; the rest of it is for the devices of the portal.',
  ],
  [
    /^monitoring\/reporting\/(jobs|export)|^monitoring\/backoffice\/(jobExecutions|jobs)/,
    'Results',
    'Results of jobs, what did not run, and what was done about it.',
  ],
  [
    /^monitoring\/(views|hand-overs|reporting\/evidence)/,
    'Daily work',
    'Saved lists, hand-overs and the record of the daily review.',
  ],
  [/^monitoring\/backoffice\/rules/, 'Rules', 'What acts on results as they arrive.'],
  [/^monitoring\/backoffice\/hints/, 'Hints', 'What helps with a result.'],
  [/^monitoring\/reporting\/[\w-]*sla/, 'SLA', 'Alarms of jobs and groups, and their report.'],
  [
    /^monitoring\/(backoffice\/ticket|reporting\/ticket)/,
    'Tickets',
    'Tickets for problems, here and in connected systems.',
  ],
  [
    /^monitoring\/(reporting\/discovery|backoffice\/computers)/,
    'Computers',
    'Computers that were discovered.',
  ],
  [/^monitoring\/reporting\/repositories/, 'Repositories', 'Capacity, history and trend.'],
  [/^monitoring\/reporting\/licensing/, 'Licensing', 'What was used in a month.'],
  [/^o365\/quickbooks/, 'Invoices', 'Invoices of the connected bookkeeping.'],
  [
    /^monitoring\/reporting\/reports/,
    'Scheduled reports',
    'Templates, schedules and what was sent.',
  ],
  [/^ingest\//, 'Ingest', 'For what reports results, with an ingest key.'],
  [/^ping$/, 'Ping', 'Addresses at the root of the server for clients of the healthchecks kind.'],
  [/^monitoring\/(sources|connections)/, 'Sources', 'Ingest keys, and systems that are asked.'],
  [/^(companies|monitoring\/reporting\/companies)/, 'Companies', 'The customers of the provider.'],
  [/^(users|monitoring\/reporting\/users)/, 'Users', 'Users, their rights and their record.'],
  [
    /^(monitoring|profile\/\{id\})\/((backoffice|reporting)\/)?(notify|webhooks|push)/,
    'Notifying',
    'What is told to whom, and how.',
  ],
  [
    /^(service-providers|monitoring\/reporting\/service-providers|app\/)/,
    'Providers',
    'Branding, settings and providers below.',
  ],
  [/^notifications/, 'Notices', 'Notices above the pages.'],
  [/^admin\//, 'Administration', 'The whole of a provider, and its event log.'],
  [/^monitoring\/backoffice\/support/, 'Support', "Requests to the provider's support."],
  [/^auth\//, 'Signing in', 'For people: sessions and factors.'],
  [/^profile\//, 'Own account', 'For people: the own profile, password and factors.'],
];

const OTHER = { name: 'Other', description: 'What else there is.' };
export const TAG_LIST = [...TAGS.map(([, name, description]) => ({ name, description })), OTHER];

export const tagOf = (path: string): string =>
  TAGS.find(([begins]) => begins.test(path))?.[1] ?? OTHER.name;
