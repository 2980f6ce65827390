import * as v from 'valibot';
import type { ConnectWiseAt } from '#contract/tickets/ticketing.ts';
import type { Named } from '#contract/tickets/tickets.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  askPsa,
  type PsaQuery,
  shortenTicketText,
  type Psa,
  REFERENCE,
  type RemoteChange,
  type RemotePage,
  type RemoteTicket,
  shaped,
} from './psa.ts';

const num = v.pipe(v.number(), v.safeInteger());
const text = v.optional(v.nullable(v.string()), null);
const Reference = v.object({ id: num, name: text, identifier: text });
const Board = v.object({ id: num, name: v.string() });
const Status = v.object({
  id: num,
  name: v.string(),
  closedStatus: v.optional(v.boolean(), false),
});
const Company = v.object({
  id: num,
  identifier: text,
  name: v.string(),
  deletedFlag: v.optional(v.boolean(), false),
});
const Contact = v.object({
  id: num,
  firstName: text,
  lastName: text,
  communicationItems: v.optional(
    v.nullable(v.array(v.object({ communicationType: text, value: text }))),
    [],
  ),
});
const Member = v.object({
  id: num,
  identifier: v.string(),
  firstName: text,
  lastName: text,
  primaryEmail: text,
  officeEmail: text,
});
const Ticket = v.object({
  id: num,
  summary: v.string(),
  status: v.nullable(v.object({ id: num, name: text })),
  closedFlag: v.optional(v.boolean(), false),
  owner: v.optional(v.nullable(Reference), null),
  priority: v.optional(v.nullable(Reference), null),
  company: v.optional(v.nullable(Reference), null),
  externalXRef: text,
  _info: v.optional(v.object({ lastUpdated: text })),
});

/** The maximum page size of ConnectWise, and the maximum number of pages. */
const PAGE = 1_000;
const PAGES = 50;

/** Returns a quoted value for a condition. */
const quoted = (words: string): string => `"${words.replaceAll(/["\\%]/g, ' ').trim()}"`;
const like = (field: string, words: string): string =>
  `${field} like "%${words.replaceAll(/["\\%]/g, ' ').trim()}%"`;
const getName = ({
  firstName,
  lastName,
  identifier,
}: {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly identifier?: string;
}): string => [firstName, lastName].filter(Boolean).join(' ') || (identifier ?? '');
const named = (one: v.InferOutput<typeof Reference> | null): Named | null =>
  one && { id: String(one.id), name: one.name ?? one.identifier ?? '' };

const searched = (field: string, { search }: PsaQuery): string[] =>
  search === undefined || search === '' ? [] : [like(field, search)];
const id = (value: string): { readonly id: number } => ({ id: Number(value) });
const ref = (value: string | null | undefined): unknown =>
  typeof value === 'string' ? id(value) : value;
/** Returns a PATCH operation; none if the value is not changed. */
const set = (path: string, value: unknown): readonly object[] =>
  value === undefined
    ? []
    : value === null
      ? [{ op: 'remove', path }]
      : [{ op: 'replace', path, value }];
const same = (a: string | null, b: string | null): boolean =>
  a !== null && b !== null && a.toLowerCase() === b.toLowerCase();

export interface ConnectWise extends Psa {
  contacts(
    company: string,
    request: PsaQuery,
  ): Promise<RemotePage<{ readonly email: string | null }>>;
  tickets(company: string, request: PsaQuery): Promise<RemotePage<{ readonly status: string }>>;
}

/** Returns the base address of the API, for the cloud or a self-hosted server. */
export const connectWiseBase = (url: string): string => {
  const bare = url.replace(/\/+$/, '');
  return bare.endsWith('/apis/3.0') ? bare : `${bare}/v4_6_release/apis/3.0`;
};

/** ConnectWise PSA (Manage) by its REST API, version 3.0. */
export function connectWise(context: AppContext, at: ConnectWiseAt, secret: string): ConnectWise {
  const base = connectWiseBase(at.url);
  const headers = {
    authorization: `Basic ${Buffer.from(`${at.company}+${at.publicKey}:${secret}`).toString('base64')}`,
    clientid: at.clientId,
    accept: 'application/vnd.connectwise.com+json; version=2025.16, application/json',
  };
  const send = (method: string, path: string, body?: unknown): ReturnType<typeof askPsa> =>
    askPsa(context, 'connectwise', `${base}/${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });

  async function page<S extends v.GenericSchema>(
    schema: S,
    path: string,
    query: {
      readonly conditions?: string;
      readonly childConditions?: string;
      readonly orderBy?: string;
    },
    n: number,
    size: number,
  ): Promise<{ readonly rows: readonly v.InferOutput<S>[]; readonly more: boolean }> {
    const params = new URLSearchParams({ ...query, page: String(n), pageSize: String(size) });
    const { body, headers: details } = await send('GET', `${path}?${params.toString()}`);
    return {
      rows: shaped('connectwise', v.array(schema), body),
      more: /rel="?next"?/i.test(details.get('link') ?? ''),
    };
  }
  async function every<S extends v.GenericSchema>(
    schema: S,
    path: string,
    query: Parameters<typeof page>[2],
  ): Promise<readonly v.InferOutput<S>[]> {
    const all: v.InferOutput<S>[] = [];
    for (let n = 1; n <= PAGES; n += 1) {
      const { rows, more } = await page(schema, path, query, n, PAGE);
      all.push(...rows);
      if (!more) return all;
    }
    return all;
  }
  async function loadPage<S extends v.GenericSchema, T>(
    schema: S,
    path: string,
    conditions: readonly string[],
    orderBy: string,
    request: PsaQuery,
    of: (row: v.InferOutput<S>) => Named & T,
  ): Promise<RemotePage<T>> {
    const { rows, more } = await page(
      schema,
      path,
      { ...(conditions.length === 0 ? {} : { conditions: conditions.join(' and ') }), orderBy },
      request.page,
      request.pageSize,
    );
    return { rows: rows.map(of), page: request.page, more };
  }
  const getRemote = ({
    id: n,
    summary,
    status,
    closedFlag,
    owner,
    priority,
    company,
    externalXRef,
    _info,
  }: v.InferOutput<typeof Ticket>): RemoteTicket => ({
    id: String(n),
    number: String(n),
    url: ticketPage(at, n),
    reference: externalXRef,
    company: company === null ? null : String(company.id),
    subject: summary,
    status: { id: String(status?.id ?? ''), name: status?.name ?? '', closed: closedFlag },
    owner: named(owner),
    priority: named(priority),
    updatedAt: getMoment(_info?.lastUpdated ?? null),
  });

  return {
    async choices(board) {
      const boards = (
        await every(Board, 'service/boards', {
          conditions: 'inactiveFlag = false',
          orderBy: 'name asc',
        })
      ).map((one) => ({ id: String(one.id), name: shortenTicketText(one.name) }));
      const chosen = boards.find((one) => one.id === board) ?? boards[0];
      const statuses =
        chosen === undefined
          ? []
          : await every(Status, `service/boards/${encodeURIComponent(chosen.id)}/statuses`, {
              conditions: 'inactive = false',
            });
      const priorities = await every(Board, 'service/priorities', {});
      return {
        boards,
        statuses: statuses.map((one) => ({
          id: String(one.id),
          name: shortenTicketText(one.name),
          closed: one.closedStatus,
        })),
        priorities: priorities.map((one) => ({
          id: String(one.id),
          name: shortenTicketText(one.name),
        })),
      };
    },
    companies: (request) =>
      loadPage(
        Company,
        'company/companies',
        ['deletedFlag = false', ...searched('name', request)],
        'name asc',
        request,
        (one) => ({
          id: String(one.id),
          name: shortenTicketText(one.name),
          identifier: one.identifier ?? '',
        }),
      ),
    everyCompany: async () =>
      (await every(Company, 'company/companies', { conditions: 'deletedFlag = false' }))
        .filter((one) => !one.deletedFlag)
        .map((one) => ({ id: String(one.id), name: shortenTicketText(one.name) })),
    contacts: (company, request) =>
      loadPage(
        Contact,
        'company/contacts',
        [
          `company/id = ${Number(company)}`,
          'inactiveFlag = false',
          ...searched('lastName', request),
        ],
        'lastName asc',
        request,
        (one) => ({
          id: String(one.id),
          name: shortenTicketText(getName(one)),
          email:
            one.communicationItems?.find(({ communicationType }) => communicationType === 'Email')
              ?.value ?? null,
        }),
      ),
    members: (request) =>
      loadPage(
        Member,
        'system/members',
        ['inactiveFlag = false', ...searched('lastName', request)],
        'identifier asc',
        request,
        (one) => ({
          id: String(one.id),
          name: shortenTicketText(getName(one)),
          identifier: one.identifier,
        }),
      ),
    tickets: (company, request) =>
      loadPage(
        Ticket,
        'service/tickets',
        [`company/id = ${Number(company)}`, 'closedFlag = false', ...searched('summary', request)],
        'id desc',
        request,
        (one) => ({
          id: String(one.id),
          name: shortenTicketText(one.summary),
          status: one.status?.name ?? '',
        }),
      ),

    async meant(said) {
      const n =
        /[?&]service_recid=(\d{1,12})(?:&|$)/i.exec(said)?.[1] ??
        /^#?(\d{1,12})$/.exec(said.trim())?.[1];
      if (n === undefined) return null;
      const { rows } = await page(
        Ticket,
        'service/tickets',
        { conditions: `id = ${Number(n)}` },
        1,
        2,
      );
      const found = rows.find((one) => one.id === Number(n));
      return found ? getRemote(found) : null;
    },
    async find(reference) {
      const { rows } = await page(
        Ticket,
        'service/tickets',
        { conditions: `externalXRef = ${quoted(reference)}`, orderBy: 'id asc' },
        1,
        2,
      );
      // The result is checked again, because the condition could match another ticket.
      const own = rows.find((one) => one.externalXRef === reference);
      return own ? getRemote(own) : null;
    },
    async make({
      reference,
      company,
      subject,
      description,
      status,
      priority,
      owner,
      contact,
      board,
    }) {
      const { body } = await send('POST', 'service/tickets', {
        summary: subject,
        board: id(board),
        status: id(status),
        company: id(company),
        initialDescription: description,
        externalXRef: reference,
        ...(priority !== null && { priority: id(priority) }),
        ...(owner !== null && { owner: id(owner) }),
        ...(contact !== null && { contact: id(contact) }),
      });
      return getRemote(shaped('connectwise', Ticket, body));
    },
    async change(
      ticket,
      { subject, description, status, priority, owner, reference }: RemoteChange,
    ) {
      const operations = [
        ...set('summary', subject),
        ...set('status', ref(status)),
        ...set('priority', ref(priority)),
        ...set('owner', ref(owner)),
        ...set('externalXRef', reference),
      ];
      if (operations.length > 0)
        await send('PATCH', `service/tickets/${encodeURIComponent(ticket)}`, operations);
      if (description !== undefined && description !== '')
        await send('POST', `service/tickets/${encodeURIComponent(ticket)}/notes`, {
          text: description,
          detailDescriptionFlag: true,
          internalAnalysisFlag: false,
          resolutionFlag: false,
        });
    },
    get: async (ticket) =>
      getRemote(
        shaped(
          'connectwise',
          Ticket,
          (await send('GET', `service/tickets/${encodeURIComponent(ticket)}`)).body,
        ),
      ),
    changedSince: async (since) =>
      (
        await every(Ticket, 'service/tickets', {
          conditions: `externalXRef like "${REFERENCE}%" and lastUpdated >= [${new Date(since).toISOString().replace(/\.\d+Z$/, 'Z')}]`,
          orderBy: 'id asc',
        })
      ).map(getRemote),
    async memberOf(email, username) {
      const by = [
        ...(email === null || email === ''
          ? []
          : [`primaryEmail = ${quoted(email)}`, `officeEmail = ${quoted(email)}`]),
        `identifier = ${quoted(username)}`,
      ];
      const { rows } = await page(
        Member,
        'system/members',
        { conditions: `inactiveFlag = false and (${by.join(' or ')})` },
        1,
        10,
      );
      const found =
        rows.find((one) => same(one.primaryEmail, email) || same(one.officeEmail, email)) ??
        rows.find((one) => same(one.identifier, username));
      return found ? { id: String(found.id), name: getName(found) } : null;
    },
  };
}

function getMoment(said: string | null): number | null {
  const at = said === null ? Number.NaN : Date.parse(said);
  return Number.isFinite(at) ? at : null;
}

/** Returns the address of a ticket's page. In the cloud, the API has a separate host. */
function ticketPage({ url, company }: ConnectWiseAt, ticket: number): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host.replace(/^api-/, '')}/v4_6_release/services/system_io/Service/fv_sr100_request.rails?service_recid=${ticket}&companyName=${encodeURIComponent(company)}`;
}
