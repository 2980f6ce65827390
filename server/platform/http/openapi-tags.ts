/**
 * The tags of the calls, in reading order. A call has the first tag whose pattern matches the
 * beginning of its path.
 */
const TAGS: readonly (readonly [path: RegExp, name: string, says: string])[] = [
  [
    /^(api-key$|(profile|users)\/\{id\}\/api-keys)/,
    'API keys',
    'What a key can do, and the keys of a user.',
  ],
  [
    /^sync\//,
    'Events and sync',
    'All changes as events after a cursor. The other calls are for the devices of the portal.',
  ],
  [
    /^monitoring\/reporting\/(jobs|export)|^monitoring\/backoffice\/(jobExecutions|jobs)/,
    'Results',
    'Results of jobs, jobs that did not run, and actions on them.',
  ],
  [
    /^monitoring\/(views|hand-overs|reporting\/evidence)/,
    'Daily work',
    'Saved views, hand-overs and the record of the daily review.',
  ],
  [/^monitoring\/backoffice\/rules/, 'Rules', 'Automatic actions on results as they arrive.'],
  [/^monitoring\/backoffice\/hints/, 'Hints', 'Help with known problems, shown with results.'],
  [/^monitoring\/reporting\/[\w-]*sla/, 'SLA', 'Alarms for jobs and groups, and their report.'],
  [
    /^monitoring\/(backoffice\/ticket|reporting\/ticket)/,
    'Tickets',
    'Tickets for problems, here and in connected systems.',
  ],
  [
    /^monitoring\/(reporting\/discovery|backoffice\/computers)/,
    'Computers',
    'Discovered computers.',
  ],
  [/^monitoring\/reporting\/repositories/, 'Repositories', 'Capacity, history and trend.'],
  [/^monitoring\/reporting\/licensing/, 'Licensing', 'Usage per month.'],
  [/^o365\/quickbooks/, 'Invoices', 'Invoices from QuickBooks.'],
  [
    /^monitoring\/reporting\/reports/,
    'Scheduled reports',
    'Templates, schedules and sent reports.',
  ],
  [/^ingest\//, 'Ingest', 'For tools that report results, with an ingest key.'],
  [/^ping$/, 'Ping', 'Endpoints at the root of the server for clients of healthchecks.'],
  [/^monitoring\/(sources|connections)/, 'Sources', 'Ingest keys and connections.'],
  [/^(companies|monitoring\/reporting\/companies)/, 'Companies', 'The customers of the provider.'],
  [/^(users|monitoring\/reporting\/users)/, 'Users', 'Users, their rights and the user log.'],
  [
    /^(monitoring|profile\/\{id\})\/((backoffice|reporting)\/)?(notify|webhooks|push)/,
    'Notifications',
    'Notification settings, devices and webhooks.',
  ],
  [
    /^(service-providers|monitoring\/reporting\/service-providers|app\/)/,
    'Providers',
    'Branding, settings and providers below.',
  ],
  [/^notifications/, 'Notices', 'Notices above the pages.'],
  [/^admin\//, 'Administration', 'Provider overview and event log.'],
  [/^monitoring\/backoffice\/support/, 'Support', 'Support requests to the provider.'],
  [/^auth\//, 'Sign-in', 'For people: sessions and factors.'],
  [/^profile\//, 'Your account', 'For people: their own profile, password and factors.'],
];

const OTHER = { name: 'Other', description: 'All other calls.' };
export const TAG_LIST = [...TAGS.map(([, name, description]) => ({ name, description })), OTHER];

export const getPathTag = (path: string): string =>
  TAGS.find(([begins]) => begins.test(path))?.[1] ?? OTHER.name;
