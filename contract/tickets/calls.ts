import * as v from 'valibot';
import { call } from '../call.ts';
import { lastErrorFields } from '../last-error.ts';
import { LIMITS } from '../limits.ts';
import { runRef } from '../run-ref.ts';
import { anyId, moment, PAGE, getPage, words } from '../paging.ts';
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
 * `number`: as shown with a problem. `waiting`: changes made here are not in the ticketing system
 * yet. `error`: why the last attempt failed.
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
  ...lastErrorFields,
  madeBy: v.string(),
  madeAt: v.number(),
  changedAt: v.number(),
  closedAt: orNull(v.number()),
  closedBy: orNull(v.picklist(TICKET_BY)),
  /**
   * The ids of its company in other systems; also null for an API key that may not read tickets.
   */
  applications: v.object({ vac: elsewhere, vcd: elsewhere, zerto: elsewhere }),
};
export const ticketOut = v.object(ticketFields);
export type TicketOut = v.InferOutput<typeof ticketOut>;
/** A problem of a ticket: the job, the state, and the newest result. */
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

/**
 * The choices of the form for a new ticket. `blocked`: why no ticket can be created for this
 * company now.
 */
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
/** A page of records of the ticketing system. `more`: there are further pages. */
const remote = <S extends v.ObjectEntries>(entries: S) =>
  v.object({
    rows: v.array(v.object({ ...NamedSchema.entries, ...entries })),
    page: v.number(),
    more: v.boolean(),
  });
const remoteQuery = { search: words, page: PAGE.page, pageSize: PAGE.pageSize };
const remoteFailures = ['not-found', 'conflict', 'too-many', 'busy', 'forbidden'] as const;

export const ticketCalls = {
  createTicket: call({
    method: 'POST',
    path: 'monitoring/backoffice/tickets',
    summary:
      'Creates a ticket for problems of one company, in the ticketing system if one is connected. Select problems by number, or the open problems of results (`runs`), each as a number or as the ID that lists return. A problem has at most one ticket.',
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
  createTickets: call({
    method: 'POST',
    path: 'monitoring/backoffice/tickets/by-company',
    summary:
      'Creates one ticket per company for problems of several companies; all of them or none.',
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
  linkTicket: call({
    method: 'POST',
    path: 'monitoring/backoffice/tickets/adopt',
    summary:
      'Links problems of one company to an existing ticket of the connected ticketing system. `ticket` is its number or address. If this portal already has that ticket, the problems are added to it.',
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
      'Lists tickets in pages, newest first; open ones by default. `search` matches number, subject and company.',
    input: v.strictObject(listed),
    output: getPage(ticketOut),
    gate: 'monitoring.tickets',
    failures: ['bad-input'],
  }),
  getTicketForm: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/form',
    summary:
      'Returns the choices for a ticket of a company, or of the company of a result, and whether a ticket can be created for it.',
    input: v.strictObject({ company: v.optional(companyN), run: v.optional(whole) }),
    output: ticketForm,
    gate: 'monitoring.tickets',
    failures: ['not-found'],
  }),
  getTicket: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/{id}',
    summary: 'Returns a ticket with its problems.',
    input: v.strictObject({ id: anyId }),
    output: ticketWhole,
    gate: 'monitoring.tickets',
    failures: ['not-found'],
  }),
  changeTicket: call({
    method: 'PUT',
    path: 'monitoring/backoffice/tickets/{id}',
    summary:
      'Changes the fields that are sent and leaves the others unchanged. The ticketing system is updated as soon as it responds.',
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
      'Deletes a ticket here and unlinks its problems. The ticket in the ticketing system stays.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'monitoring.job-actions',
    failures: ['not-found'],
  }),
  reportTickets: call({
    method: 'GET',
    path: 'monitoring/reporting/tickets',
    summary:
      'Lists tickets created in a period, in any state, newest first. Without a period, those of the last 30 days.',
    input: v.strictObject({ ...listed, from: v.optional(moment), to: v.optional(moment) }),
    output: getPage(ticketOut),
    gate: 'monitoring.tickets',
    failures: ['bad-input'],
  }),
  connectwiseCompanies: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/connectwise/companies',
    summary: 'Lists companies of the connected ConnectWise by name, for mapping.',
    input: v.strictObject(remoteQuery),
    output: remote({ identifier: v.string() }),
    gate: 'common.companies',
    failures: remoteFailures,
  }),
  connectwiseContacts: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/connectwise/contacts',
    summary: 'Lists the ConnectWise contacts of a company.',
    input: v.strictObject({ company: companyN, ...remoteQuery }),
    output: remote({ email: orNull(v.string()) }),
    gate: 'monitoring.tickets',
    failures: remoteFailures,
  }),
  connectwiseMembers: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/connectwise/members',
    summary: 'Lists the ConnectWise members who can own a ticket.',
    input: v.strictObject(remoteQuery),
    output: remote({ identifier: v.string() }),
    gate: 'monitoring.tickets',
    failures: remoteFailures,
  }),
  connectwiseTickets: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/connectwise/tickets',
    summary: 'Lists the open ConnectWise tickets of a company, newest first.',
    input: v.strictObject({ company: companyN, ...remoteQuery }),
    output: remote({ status: v.string() }),
    gate: 'monitoring.tickets',
    failures: remoteFailures,
  }),
  autotaskAccounts: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/autotask/accounts',
    summary: 'Lists accounts (companies) of the connected Autotask by name, for mapping.',
    input: v.strictObject(remoteQuery),
    output: remote({ identifier: v.string() }),
    gate: 'common.companies',
    failures: remoteFailures,
  }),
  autotaskResources: call({
    method: 'GET',
    path: 'monitoring/backoffice/tickets/autotask/resources',
    summary: 'Lists the Autotask resources (people) who can own a ticket.',
    input: v.strictObject(remoteQuery),
    output: remote({ identifier: v.string() }),
    gate: 'monitoring.tickets',
    failures: remoteFailures,
  }),
} as const;
