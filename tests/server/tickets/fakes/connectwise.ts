import { createHash, createHmac } from 'node:crypto';
import { type Query, standIn, type StandIn, type Details } from './server.ts';

/**
 * Keys and records of a ConnectWise PSA as its published REST contract has them (version 3.0): what
 * is asked of it otherwise is refused.
 */
export const KEYS = {
  company: 'acme',
  publicKey: 'public',
  clientId: '11111111-2222-3333-4444-555555555555',
};
export const PRIVATE = 'private-key-of-connectwise';
const SIGNING = 'signing-key';
const BASE = '/v4_6_release/apis/3.0/';

type Rec = Record<string, unknown>;
export interface CwTicket extends Rec {
  id: number;
  summary: string;
  status: { id: number; name: string };
  closedFlag: boolean;
  externalXRef: string | null;
  owner: { id: number; name: string } | null;
  _info: { lastUpdated: string };
}
export interface ConnectWiseStandIn extends StandIn {
  readonly companies: Rec[];
  readonly members: Rec[];
  readonly contacts: Rec[];
  readonly tickets: CwTicket[];
  readonly notes: Rec[];
  /** Somebody there gives a ticket this status. */
  turn(id: number, status: 1 | 2 | 3): void;
  /** What it posts where it tells of a ticket, signed. */
  callback(id: number): { readonly body: string; readonly signature: string };
  pageSize: number;
}

const BOARDS = [
  { id: 1, name: 'Help Desk' },
  { id: 2, name: 'Backup' },
];
const STATUSES = [
  { id: 1, name: 'New', closedStatus: false, inactive: false },
  { id: 2, name: 'In Progress', closedStatus: false, inactive: false },
  { id: 3, name: 'Completed', closedStatus: true, inactive: false },
];
const PRIORITIES = [
  { id: 4, name: 'Priority 3 - Normal' },
  { id: 5, name: 'Priority 1 - Critical' },
];

const id = (of: unknown): unknown => (of as { id?: unknown } | undefined)?.id;
const getStatus = (wanted: unknown): { id: number; name: string } | null => {
  const one = STATUSES.find((status) => status.id === wanted);
  return one ? { id: one.id, name: one.name } : null;
};
const closes = (wanted: unknown): boolean =>
  STATUSES.some((status) => status.id === wanted && status.closedStatus);

export async function connectWiseStandIn(now: () => number): Promise<ConnectWiseStandIn> {
  const companies: Rec[] = [
    { id: 101, identifier: 'Calloway', name: 'Calloway Freight', deletedFlag: false },
    { id: 102, identifier: 'Drummond', name: 'Drummond & Pike', deletedFlag: false },
    { id: 103, identifier: 'Gone', name: 'Gone Ltd', deletedFlag: true },
  ];
  const members: Rec[] = [
    {
      id: 21,
      identifier: 'dsmith',
      firstName: 'Dana',
      lastName: 'Smith',
      primaryEmail: 'dana@msp.example',
      officeEmail: 'kate@example.com',
      inactiveFlag: false,
    },
    {
      id: 22,
      identifier: 'old',
      firstName: 'Old',
      lastName: 'Hand',
      primaryEmail: 'old@msp.example',
      officeEmail: null,
      inactiveFlag: true,
    },
  ];
  const contacts: Rec[] = [
    {
      id: 31,
      firstName: 'Cleo',
      lastName: 'Calloway',
      company: { id: 101 },
      inactiveFlag: false,
      communicationItems: [
        { communicationType: 'Phone', value: '1' },
        { communicationType: 'Email', value: 'cleo@calloway.example' },
      ],
    },
  ];
  const tickets: CwTicket[] = [];
  const notes: Rec[] = [];
  let next = 5001;
  const stamp = (): string => new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const touch = (ticket: CwTicket): void => {
    ticket.closedFlag = closes(ticket.status.id);
    Object.assign(ticket, { _info: { lastUpdated: stamp() } });
  };

  function answer({ method, path, query, headers, body }: Query, origin: string): Details {
    if (method === 'GET' && path === '/key') return { body: { signing_key: SIGNING } };
    const basic = `Basic ${Buffer.from(`${KEYS.company}+${KEYS.publicKey}:${PRIVATE}`).toString('base64')}`;
    if (headers.authorization !== basic || headers['clientid'] !== KEYS.clientId)
      return {
        status: 401,
        body: { code: 'Unauthorized', message: 'Cannot route. Codebase/company is invalid.' },
      };
    if (!path.startsWith(BASE))
      return { status: 404, body: { code: 'NotFound', message: 'no such path' } };
    const what = path.slice(BASE.length);
    const lists: Record<string, Rec[]> = {
      'service/boards': BOARDS.map((one) => ({ ...one, inactiveFlag: false })),
      'service/boards/1/statuses': STATUSES,
      'service/boards/2/statuses': STATUSES,
      'service/priorities': PRIORITIES,
      'company/companies': companies,
      'company/contacts': contacts,
      'system/members': members,
      'service/tickets': tickets,
    };
    const list = lists[what];
    const one = /^service\/tickets\/(\d+)(\/notes)?$/.exec(what);
    const ticket = one ? tickets.find(({ id }) => id === Number(one[1])) : undefined;
    if (method === 'GET' && list) return paged(list, query, `${origin}${path}`, out.pageSize);
    if (method === 'POST' && what === 'service/tickets') return made(body as Rec);
    if (one && !ticket)
      return { status: 404, body: { code: 'NotFound', message: 'Ticket not found' } };
    if (method === 'GET' && ticket) return { body: ticket };
    if (method === 'POST' && ticket && one?.[2]) {
      notes.push({ ...(body as Rec), ticketId: ticket.id });
      return { status: 201, body };
    }
    if (method === 'PATCH' && ticket) return patched(ticket, body as Rec[]);
    return { status: 404, body: { code: 'NotFound', message: `${method} ${what}` } };
  }

  function made(input: Rec): Details {
    const status = getStatus(id(input['status']));
    if (typeof input['summary'] !== 'string' || input['summary'].length > 100)
      return refused('summary is required and has 100 characters at most');
    if (!companies.some((one) => one['id'] === id(input['company']) && one['deletedFlag'] !== true))
      return refused('company not found');
    if (!BOARDS.some((one) => one.id === id(input['board'])) || status === null)
      return refused('board and status are required');
    const member = members.find((one) => one['id'] === id(input['owner']));
    const priority = PRIORITIES.find((one) => one.id === id(input['priority']));
    const ticket: CwTicket = {
      id: next++,
      summary: input['summary'],
      board: input['board'],
      status,
      closedFlag: false,
      company: input['company'],
      contact: input['contact'] ?? null,
      initialDescription: input['initialDescription'],
      owner: member
        ? {
            id: member['id'] as number,
            name: `${String(member['firstName'])} ${String(member['lastName'])}`,
          }
        : null,
      priority: priority ?? PRIORITIES[0] ?? null,
      externalXRef: (input['externalXRef'] as string | undefined) ?? null,
      _info: { lastUpdated: stamp() },
    };
    tickets.push(ticket);
    return { status: 201, body: ticket };
  }

  function patched(ticket: CwTicket, operations: readonly Rec[]): Details {
    for (const { op, path, value } of operations) {
      const wanted = id(value);
      if (op === 'remove' && path === 'owner') ticket.owner = null;
      else if (op === 'replace' && path === 'summary') ticket.summary = String(value);
      else if (op === 'replace' && path === 'status') {
        const status = getStatus(wanted);
        if (!status) return refused('status not found');
        ticket.status = status;
      } else if (op === 'replace' && path === 'owner')
        ticket.owner = {
          id: Number(wanted),
          name: members.some((one) => one['id'] === wanted) ? 'Dana Smith' : '',
        };
      else if (op === 'replace' && path === 'priority')
        ticket['priority'] = PRIORITIES.find((one) => one.id === wanted) ?? null;
      else if (op === 'replace' && path === 'externalXRef') ticket.externalXRef = String(value);
      else return refused(`${String(op)} ${String(path)}`);
    }
    touch(ticket);
    return { body: ticket };
  }

  const server = await standIn(answer);
  const out: ConnectWiseStandIn = {
    ...server,
    companies,
    members,
    contacts,
    tickets,
    notes,
    pageSize: 1_000,
    turn(id, status) {
      const ticket = tickets.find((one) => one.id === id);
      const to = getStatus(status);
      if (!ticket || !to) throw new Error('no such ticket');
      ticket.status = to;
      touch(ticket);
    },
    callback(id) {
      const body = JSON.stringify({
        Action: 'updated',
        CompanyId: KEYS.company,
        Entity: '{}',
        FromUrl: 'x',
        ID: id,
        MemberId: 'dsmith',
        Metadata: { key_url: `${server.url}/key` },
        Type: 'ticket',
      });
      return {
        body,
        signature: createHmac('sha256', createHash('sha256').update(SIGNING).digest())
          .update(body)
          .digest('base64'),
      };
    },
  };
  return out;
}

const refused = (message: string): Details => ({
  status: 400,
  body: {
    code: 'InvalidObject',
    message: 'ticket object is invalid',
    errors: [{ code: 'InvalidField', message }],
  },
});

/** A page, and where the next one is. `most`: more than so many it does not give at once. */
function paged(list: readonly Rec[], query: URLSearchParams, here: string, max: number): Details {
  const unknown = [...query.keys()].find(
    (name) => !['page', 'pageSize', 'conditions', 'orderBy'].includes(name),
  );
  if (unknown !== undefined)
    return { status: 400, body: { code: 'BadRequest', message: `unknown parameter ${unknown}` } };
  const conditions = query.get('conditions');
  const request = Number(query.get('pageSize') ?? 25);
  const page = Number(query.get('page') ?? 1);
  const size = Math.min(request, max);
  if (request > 1_000)
    return { status: 400, body: { code: 'BadRequest', message: 'pageSize is 1000 at most' } };
  let found: Rec[];
  try {
    found = conditions === null ? [...list] : list.filter((one) => matches(one, conditions));
  } catch (error) {
    return { status: 400, body: { code: 'BadRequest', message: String(error) } };
  }
  const order = /^([\w/]+)(?: (asc|desc))?$/.exec(query.get('orderBy') ?? '');
  const field = order?.[1];
  if (field !== undefined)
    found.sort(
      (a, b) =>
        (String(at(a, field)) < String(at(b, field)) ? -1 : 1) * (order?.[2] === 'desc' ? -1 : 1),
    );
  const rows = found.slice((page - 1) * size, page * size);
  const more = page * size < found.length;
  const link = new URL(here);
  for (const [name, value] of query) link.searchParams.set(name, value);
  link.searchParams.set('page', String(page + 1));
  return { body: rows, ...(more ? { headers: { link: `<${link.href}>; rel="next"` } } : {}) };
}

const at = (one: Rec, path: string): unknown =>
  path.split('/').reduce<unknown>((value, name) => (value as Rec | null | undefined)?.[name], one);

/**
 * The little of the language of conditions that is published: `and`, one level of `or` in brackets,
 * `=`, `like`, `>=`; texts in quotes, dates in square brackets.
 */
function matches(one: Rec, conditions: string): boolean {
  return conditions.split(/ and (?![^(]*\))/).every((part) =>
    part.startsWith('(')
      ? part
          .slice(1, -1)
          .split(' or ')
          .some((each) => matches(one, each))
      : holds(one, part),
  );
}
function holds(one: Rec, condition: string): boolean {
  const read = /^([\w/]+) (=|like|>=) (?:"([^"]*)"|\[([^\]]+)\]|(true|false)|(\d+))$/.exec(
    condition,
  );
  if (!read) throw new Error(`condition not understood: ${condition}`);
  const [, path = '', operator, text, date, flag, number] = read;
  const value = path === 'lastUpdated' ? at(one, '_info/lastUpdated') : at(one, path);
  if (value === undefined && path !== 'closedFlag') throw new Error(`no field ${path}`);
  if (operator === '>=') return Date.parse(String(value)) >= Date.parse(date ?? '');
  if (operator === 'like')
    return new RegExp(
      `^${(text ?? '').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%', '.*')}$`,
      'i',
    ).test(String(value));
  return text !== undefined
    ? String(value).toLowerCase() === text.toLowerCase()
    : flag !== undefined
      ? value === (flag === 'true')
      : value === Number(number);
}
