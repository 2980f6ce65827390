import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { runRef } from '../run-ref.ts';
import { anyId, moment, PAGE, pageOf, words } from '../paging.ts';
import {
  NamedSchema,
  StatusSchema,
  TICKET_BY,
  TICKET_SYSTEMS,
  ticketDescription,
  ticketSubject,
} from './tickets.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const chosen = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.ticketChars));
const whole = v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/), v.transform(Number));
const companyN = whole;
const some = v.optional(
  v.pipe(v.array(runRef), v.minLength(1), v.maxLength(LIMITS.ticketProblems)),
);

/** A company in other systems. */
const elsewhere = v.object({ id: orNull(v.string()) });

/**
 * `number`: as a problem shows it. `waiting`: what is said here is not in the ticketing system yet;
 * `fault` then says why, where it was tried.
 */
const ticketFields = {
  _id: v.string(),
  number: v.string(),
  company: v.number(),
  companyName: v.string(),
  system: v.picklist(TICKET_SYSTEMS),
  url: orNull(v.string()),
  subject: v.string(),
  status: StatusSchema,
  priority: orNull(NamedSchema),
  owner: orNull(NamedSchema),
  problems: v.number(),
  openProblems: v.number(),
  waiting: v.boolean(),
  fault: orNull(v.string()),
  madeBy: v.string(),
  madeAt: v.number(),
  changedAt: v.number(),
  closedAt: orNull(v.number()),
  closedBy: orNull(v.picklist(TICKET_BY)),
  /** The ids of its company there; null also for an API key that may not read tickets. */
  applications: v.object({ vac: elsewhere, vcd: elsewhere, zerto: elsewhere }),
};
export const ticketOut = v.object(ticketFields);
export type TicketOut = v.InferOutput<typeof ticketOut>;
/** A problem of a ticket: the job, what is wrong, and the newest result. */
const problemOut = v.object({
  n: v.number(),
  run: v.number(),
  job: v.string(),
  computer: v.string(),
  state: v.string(),
  cause: v.string(),
  runs: v.number(),
  openedAt: v.number(),
  closedAt: orNull(v.number()),
});
export const ticketWhole = v.object({
  ...ticketFields,
  description: v.string(),
  contact: orNull(NamedSchema),
  list: v.array(problemOut),
});
export type TicketWhole = v.InferOutput<typeof ticketWhole>;

/** What the form of a new ticket offers. `blocked`: why none can be opened for this company now. */
const ticketForm = v.object({
  system: v.picklist(TICKET_SYSTEMS),
  statuses: v.array(StatusSchema),
  priorities: v.array(NamedSchema),
  priority: orNull(v.string()),
  owner: orNull(NamedSchema),
  people: v.array(NamedSchema),
  company: v.number(),
  companyName: v.string(),
  blocked: orNull(v.string()),
  remoteCompany: orNull(v.string()),
});
export type TicketFormOut = v.InferOutput<typeof ticketForm>;

const listed = {
  search: words,
  state: v.optional(v.picklist(['open', 'closed', 'all'])),
  company: v.optional(companyN),
  ...PAGE,
};
/** A page of what the system has; `more`: it has others behind it. */
const remote = <S extends v.ObjectEntries>(entries: S) =>
  v.object({
    rows: v.array(v.object({ ...NamedSchema.entries, ...entries })),
    page: v.number(),
    more: v.boolean(),
  });
const remoteAsked = { search: words, page: PAGE.page, pageSize: PAGE.pageSize };
const remoteFailures = ['not-found', 'conflict', 'too-many', 'busy', 'forbidden'] as const;

export const ticketCalls = {
  makeTicket: call({
    method: 'POST',
    path: 'monitoring/backoffice/tickets',
    summary:
      'A ticket for problems of one company, in the ticketing system where one is connected: problems by number, or those that are open of results (`runs`), each as a number or as the text that lists give. A problem has one ticket at most.',
    input: v.strictObject({
      problems: some,
      runs: some,
      subject: ticketSubject,
      description: v.optional(ticketDescription),
      status: v.optional(chosen),
      priority: v.optional(orNull(chosen)),
      owner: v.optional(orNull(NamedSchema)),
      contact: v.optional(orNull(NamedSchema)),
    }),
    output: ticketWhole,
    gate: 'monitoring.job-actions',
    failures: ['bad-input', 'not-found', 'conflict'],
  }),
  makeTickets: call({
    method: 'POST',
    path: 'monitoring/backoffice/tickets/by-company',
    summary:
      'The same for problems of several companies: one ticket for each company, all of them or none.',
    input: v.strictObject({
      problems: some,
      runs: some,
      subject: ticketSubject,
      description: v.optional(ticketDescription),
      status: v.optional(chosen),
      priority: v.optional(orNull(chosen)),
      owner: v.optional(orNull(NamedSchema)),
    }),
    output: v.object({ tickets: v.array(ticketOut) }),
    gate: 'monitoring.job-actions',
    failures: ['bad-input', 'not-found', 'conflict'],
  }),
  adoptTicket: call({
    method: 'POST',
    path: 'monitoring/backoffice/tickets/adopt',
    summary:
      'Problems of one company get a ticket that the connected ticketing system has already: `ticket` is its number or its address. One that is kept here for it takes them in.',
    input: v.strictObject({
      problems: some,
      runs: some,
      ticket: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_000)),
    }),
    output: ticketWhole,
    gate: 'monitoring.job-actions',
    failures: ['bad-input', 'not-found', 'conflict', 'too-many', 'busy'],
  }),
  listTickets: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets',
    summary:
      'Tickets in pages, the newest first: open ones unless asked otherwise. Looks in number, subject and company.',
    input: v.strictObject(listed),
    output: pageOf(ticketOut),
    gate: 'monitoring.tickets',
    failures: ['bad-input'],
  }),
  getTicketForm: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/form',
    summary:
      'What can be chosen for a ticket of a company, or of the company of a result, and whether one can be opened for it.',
    input: v.strictObject({ company: v.optional(companyN), run: v.optional(whole) }),
    output: ticketForm,
    gate: 'monitoring.tickets',
    failures: ['not-found'],
  }),
  getTicket: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/{id}',
    summary: 'One ticket with its problems.',
    input: v.strictObject({ id: anyId }),
    output: ticketWhole,
    gate: 'monitoring.tickets',
    failures: ['not-found'],
  }),
  changeTicket: call({
    method: 'PUT',
    path: 'monitoring/backoffice/tickets/{id}',
    summary:
      'Changes what is sent and leaves the rest; the ticketing system is told as soon as it answers.',
    input: v.strictObject({
      id: anyId,
      subject: v.optional(ticketSubject),
      description: v.optional(ticketDescription),
      status: v.optional(chosen),
      priority: v.optional(orNull(chosen)),
      owner: v.optional(orNull(NamedSchema)),
    }),
    output: ticketWhole,
    gate: 'monitoring.job-actions',
    failures: ['bad-input', 'not-found', 'conflict'],
  }),
  deleteTicket: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/tickets/{id}',
    summary:
      'Takes a ticket away here; its problems let go of it. What the ticketing system has stays there.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'monitoring.job-actions',
    failures: ['not-found'],
  }),
  reportTickets: call({
    method: 'GET',
    path: 'monitoring/reporting/tickets',
    summary:
      'Tickets that were opened in a time, of any state, newest first; without a time those of the last 30 days.',
    input: v.strictObject({ ...listed, from: v.optional(moment), to: v.optional(moment) }),
    output: pageOf(ticketOut),
    gate: 'monitoring.tickets',
    failures: ['bad-input'],
  }),
  connectwiseCompanies: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/connectwise/companies',
    summary: 'Companies of the connected ConnectWise, by name: for who maps them.',
    input: v.strictObject(remoteAsked),
    output: remote({ identifier: v.string() }),
    gate: 'common.companies',
    failures: remoteFailures,
  }),
  connectwiseContacts: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/connectwise/contacts',
    summary: 'Contacts that ConnectWise has of a company of ours.',
    input: v.strictObject({ company: companyN, ...remoteAsked }),
    output: remote({ email: orNull(v.string()) }),
    gate: 'monitoring.tickets',
    failures: remoteFailures,
  }),
  connectwiseMembers: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/connectwise/members',
    summary: 'Members of ConnectWise who can own a ticket.',
    input: v.strictObject(remoteAsked),
    output: remote({ identifier: v.string() }),
    gate: 'monitoring.tickets',
    failures: remoteFailures,
  }),
  connectwiseTickets: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/connectwise/tickets',
    summary: 'Open tickets that ConnectWise has of a company of ours, the newest first.',
    input: v.strictObject({ company: companyN, ...remoteAsked }),
    output: remote({ status: v.string() }),
    gate: 'monitoring.tickets',
    failures: remoteFailures,
  }),
  autotaskAccounts: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/autotask/accounts',
    summary: 'Accounts (companies) of the connected Autotask, by name: for who maps them.',
    input: v.strictObject(remoteAsked),
    output: remote({ identifier: v.string() }),
    gate: 'common.companies',
    failures: remoteFailures,
  }),
  autotaskResources: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/autotask/resources',
    summary: 'Resources (people) of Autotask who can own a ticket.',
    input: v.strictObject(remoteAsked),
    output: remote({ identifier: v.string() }),
    gate: 'monitoring.tickets',
    failures: remoteFailures,
  }),
} as const;
