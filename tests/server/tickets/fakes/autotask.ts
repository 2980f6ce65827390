import { type Query, standIn, type StandIn, type Details } from './server.ts';

/**
 * An Autotask as its published REST contract has it (version 1.0): zone, entities by query,
 * picklists.
 */
export const AT_KEYS = { username: 'api@msp.example', integrationCode: 'CODE' };
export const AT_SECRET = 'secret-of-autotask';
const BASE = '/atservicesrest/V1.0/';

type Rec = Record<string, unknown>;
export interface AtTicket extends Rec {
  id: number;
  ticketNumber: string;
  title: string;
  status: number;
  priority: number;
  externalID: string | null;
  lastActivityDate: string;
}
export interface AutotaskStandIn extends StandIn {
  readonly companies: Rec[];
  readonly tickets: AtTicket[];
  turn(id: number, status: number): void;
  /** Somebody there opens one. */ opened(title: string, companyID: number): void;
  zone: string | null;
  pageSize: number;
}

const pick = (name: string, values: readonly (readonly [number, string])[]): Rec => ({
  name,
  dataType: 'integer',
  isPickList: true,
  picklistValues: values.map(([value, label]) => ({
    value: String(value),
    label,
    isActive: true,
    isSystem: false,
    isDefaultValue: false,
    sortOrder: value,
  })),
});
const FIELDS = [
  { name: 'title', dataType: 'string', isPickList: false, picklistValues: null },
  pick('queueID', [
    [8, 'Monitoring'],
    [9, 'Triage'],
  ]),
  pick('status', [
    [1, 'New'],
    [5, 'Complete'],
    [8, 'In Progress'],
  ]),
  pick('priority', [
    [1, 'High'],
    [2, 'Medium'],
  ]),
];

export async function autotaskStandIn(now: () => number): Promise<AutotaskStandIn> {
  const companies: Rec[] = [
    { id: 201, companyName: 'Calloway Freight', companyNumber: 'C-1', isActive: true },
    { id: 202, companyName: 'Drummond & Pike', companyNumber: null, isActive: true },
    { id: 203, companyName: 'Idle', companyNumber: null, isActive: false },
  ];
  const resources: Rec[] = [
    {
      id: 301,
      firstName: 'Kate',
      lastName: 'Holm',
      email: 'kate@example.com',
      userName: 'kholm',
      isActive: true,
    },
    {
      id: 302,
      firstName: 'Sam',
      lastName: 'Idle',
      email: 'sam@example.com',
      userName: 'sidle',
      isActive: false,
    },
    {
      id: 303,
      firstName: 'Rolf',
      lastName: 'Nowhere',
      email: 'rolf@example.com',
      userName: 'rolf',
      isActive: true,
    },
  ];
  const roles: Rec[] = [
    { id: 1, resourceID: 301, roleID: 41, isActive: true, isDefault: false },
    { id: 2, resourceID: 301, roleID: 42, isActive: true, isDefault: true },
    { id: 3, resourceID: 303, roleID: 43, isActive: false, isDefault: true },
  ];
  const tickets: AtTicket[] = [];
  let next = 7001;
  const stamp = (): string => new Date(now()).toISOString();

  function answer({ method, path, query, headers, body }: Query, origin: string): Details {
    if (path === '/ATServicesRest/V1.0/zoneInformation') {
      if (headers['secret'] !== undefined)
        return { status: 400, body: { errors: ['the zone is asked without the secret'] } };
      return query.get('user') === AT_KEYS.username
        ? {
            body: {
              zoneName: 'Here',
              url: out.zone ?? `${origin}/atservicesrest/`,
              webUrl: `${origin}/`,
              ci: 1,
            },
          }
        : { status: 500, body: { errors: ['Zone Information not found'] } };
    }
    if (
      headers['apiintegrationcode'] !== AT_KEYS.integrationCode ||
      headers['username'] !== AT_KEYS.username ||
      headers['secret'] !== AT_SECRET
    )
      return { status: 401, body: { errors: ['Unauthorized'] } };
    const what = path.slice(BASE.length);
    const one = /^Tickets\/(\d+)$/.exec(what);
    const lists: Record<string, Rec[]> = {
      'Companies/query': companies,
      'Tickets/query': tickets,
      'Resources/query': resources,
      'ResourceServiceDeskRoles/query': roles,
    };
    const list = lists[what.replace(/\/next$/, '')];
    if (!path.startsWith(BASE)) return { status: 404, body: { errors: ['no such path'] } };
    if (method === 'GET' && what === 'Tickets/entityInformation/fields')
      return { body: { fields: FIELDS } };
    if (method === 'POST' && list)
      return queried(
        list,
        body as Rec,
        Number(query.get('after') ?? 0),
        `${origin}${BASE}${what.replace(/\/next$/, '')}`,
        out.pageSize,
      );
    if (method === 'GET' && one)
      return { body: { item: tickets.find(({ id }) => id === Number(one[1])) ?? null } };
    if (method === 'POST' && what === 'Tickets') return made(body as Rec);
    if (method === 'PATCH' && what === 'Tickets') {
      const { id, ...fields } = body as Rec;
      const ticket = tickets.find((each) => each.id === id);
      if (!ticket) return { status: 404, body: { errors: ['not found'] } };
      if (wrong(fields)) return VIOLATION;
      Object.assign(ticket, fields, { lastActivityDate: stamp() });
      return { body: { itemId: id } };
    }
    return { status: 405, body: { errors: [`${method} ${what}`] } };
  }
  /** A resource is assigned with a role of its own at the service desk, or neither is. */
  const wrong = (fields: Rec): boolean => {
    const { assignedResourceID: resource, assignedResourceRoleID: role } = fields;
    if ((resource == null) !== (role == null)) return true;
    return (
      resource != null &&
      !roles.some(
        (one) =>
          one['resourceID'] === resource && one['roleID'] === role && one['isActive'] === true,
      )
    );
  };

  function made(input: Rec): Details {
    if (wrong(input)) return VIOLATION;
    const missing = ['companyID', 'status', 'priority', 'title', 'dueDateTime', 'queueID'].find(
      (name) => input[name] === undefined,
    );
    if (missing !== undefined)
      return { status: 500, body: { errors: [`Missing Required Field: ${missing}`] } };
    if (String(input['externalID']).length > 50)
      return { status: 500, body: { errors: ['externalID has 50 characters at most'] } };
    const id = next++;
    tickets.push({
      assignedResourceID: null,
      assignedResourceRoleID: null,
      externalID: null,
      ...input,
      id,
      ticketNumber: `T20260302.${String(id).slice(-4)}`,
      lastActivityDate: stamp(),
    } as unknown as AtTicket);
    return { body: { itemId: id } };
  }

  const server = await standIn(answer);
  const out: AutotaskStandIn = {
    ...server,
    companies,
    tickets,
    zone: null,
    pageSize: 500,
    opened(title, companyID) {
      made({ title, companyID, queueID: 8, status: 1, priority: 2, dueDateTime: stamp() });
    },
    turn(id, status) {
      const ticket = tickets.find((one) => one.id === id);
      if (!ticket) throw new Error('no such ticket');
      ticket.status = status;
      ticket.lastActivityDate = stamp();
    },
  };
  return out;
}

const VIOLATION: Details = {
  status: 500,
  body: {
    errors: [
      'Data violation: When assigning a Resource, you must assign both an assignedResourceID and assignedResourceRoleID',
    ],
  },
};

function queried(
  list: readonly Rec[],
  { MaxRecords = 500, filter = [] }: Rec,
  after: number,
  here: string,
  max: number,
): Details {
  const size = Math.min(Number(MaxRecords), max, 500);
  const tests = filter as { op: string; field: string; value: unknown }[];
  for (const { op, field } of tests)
    if (
      !['eq', 'contains', 'beginsWith', 'gte', 'in'].includes(op) ||
      (list[0] !== undefined && !(field in list[0]))
    )
      return { status: 500, body: { errors: [`Unable to find ${field} or ${op}`] } };
  const found = list
    .filter((one) =>
      tests.every(({ op, field, value }) => {
        const text = JSON.stringify(one[field]).replaceAll('"', '').toLowerCase();
        const wanted = String(value).toLowerCase();
        return op === 'eq'
          ? one[field] === value || (typeof value === 'string' && text === wanted)
          : op === 'in'
            ? (value as unknown[]).includes(one[field])
            : op === 'contains'
              ? text.includes(wanted)
              : op === 'beginsWith'
                ? text.startsWith(wanted)
                : Date.parse(String(one[field])) >= Date.parse(String(value));
      }),
    )
    .filter((one) => Number(one['id']) > after);
  const items = found.slice(0, size);
  const more = found.length > size;
  return {
    body: {
      items,
      pageDetails: {
        count: items.length,
        requestCount: size,
        prevPageUrl: null,
        nextPageUrl: more ? `${here}/next?after=${String(items.at(-1)?.['id'])}` : null,
      },
    },
  };
}
