import { defineMessages } from '#contract/i18n/messages.ts';

/** Digests, push notifications and notices about webhooks. */
export const notificationMessages = defineMessages('notify-server', {
  failed: '{count, plural, one {# job failed} other {# jobs failed}}',
  missed: '{count, plural, one {# job did not run} other {# jobs did not run}}',
  sla: '{count, plural, one {# SLA alarm missed its target} other {# SLA alarms missed their targets}}',
  repository:
    '{count, plural, one {# repository is filling up} other {# repositories are filling up}}',
  source: '{count, plural, one {# source stopped reporting} other {# sources stopped reporting}}',
  ticket:
    '{count, plural, one {# ticket was closed elsewhere} other {# tickets were closed elsewhere}}',
  allWell: 'No open problems',
  nothing: 'There are no open problems of the kinds that you selected.',
  reviewed:
    '{count, plural, one {# more problem is reviewed but not resolved.} other {# more problems are reviewed but not resolved.}}',
  asOf: 'As of {when} ({timeZone}).',
  subject: '{portal}: {summary}',
  why: '{portal} sends this email because you turned it on.',
  changeAt: 'Change your notifications: {link}',
  change: 'Change your notifications',
  more: 'and {count, number} more',

  atCompany: '{summary} at {company}',
  companyItem: '{company}: {item}',
  onComputer: '{job} on {computer}',
  problem: '{company}: {job}{runs, plural, one {} other {, # times}}',
  problemWithCause: '{company}: {job}: {cause}{runs, plural, one {} other {, # times}}',
  repositoryFull: '{repository}: full',
  repositoryFullIn: '{repository}: full in {days, plural, one {# day} other {# days}}',
  repositoryUsed: '{repository}: {share} used',
  sourceRefused: '{company}: {source}: results refused',
  sourceSilent: '{company}: {source}: no results',
  connectionFailed: '{connection}: connection failed',
  connectionError: '{connection}: {error}',
  ticketClosed: '{company}: {number} {subject}',

  test: 'This is a test notification.',
  pushKeyInvalid: "The browser's key isn't valid.",
  pushRefused: 'The push service responded with status {status}.',

  addressRefused: 'The address responded with status {status}.',
  webhookGone: 'The address responded that it no longer exists (410).',
  webhookFailed:
    "The address hasn't accepted a delivery for {days, plural, one {# day} other {# days}}. {error}",
  webhookOffSubject: 'Webhook turned off: {name}',
  webhookOff: 'The webhook {name} is now off.',
  webhookOffDetail:
    'Its waiting deliveries were discarded. When the address responds again, turn it on under Webhooks.',
});
