import { createHash } from 'node:crypto';
import { type Query, json, listen, type Outside, type Details } from '../../outbound/listen.ts';

/** A row as the console tells it. */
export type Row = Record<string, unknown>;

/** What the console of a test has; the test changes it as time goes on. */
export interface Console {
  companies: Row[];
  servers: Row[];
  managementAgents: Row[];
  agents: Row[];
  jobs: Row[];
  agentJobs: Row[];
  office365Jobs: Row[];
  sessions: Row[];
  repositories: Row[];
  computers: Row[];
  alarms: Row[];
  licences: Row[];
  /** Pages hold no more than so many rows, whatever is asked for. */
  maxPage: number;
  /** What is told instead, this time. */
  fault: (request: Query, path: string) => Details | null | Promise<Details | null>;
  /** Whether an answer is made later (202). */
  later: (request: Query, path: string) => boolean;
  /** Turns a list round between pages. */
  order: (rows: Row[], path: string) => Row[];
}

export interface StandIn {
  readonly outside: Outside;
  readonly console: Console;
  /** Tokens that stand. */ readonly tokens: Set<string>;
  signIns: number;
  renewals: number;
}

/** The same name, the same id. */
export const uid = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

export const KEY = 'a-simple-key';
export const USER = { name: 'collector', secret: 'correct horse' } as const;

const LISTS: Readonly<Record<string, keyof Console>> = {
  'organizations/companies': 'companies',
  'infrastructure/backupServers': 'servers',
  'infrastructure/managementAgents': 'managementAgents',
  'infrastructure/backupAgents': 'agents',
  'infrastructure/backupServers/jobs': 'jobs',
  'infrastructure/backupAgents/jobs': 'agentJobs',
  'infrastructure/vb365Servers/organizations/jobs': 'office365Jobs',
  'infrastructure/backupServers/repositories': 'repositories',
  'discovery/computers': 'computers',
  'alarms/active': 'alarms',
  'licensing/usage/organizations': 'licences',
};

/**
 * A small Veeam Service Provider Console: the lists of REST v3 3.6, in pages, with tokens,
 * refreshes, keys and answers that are made later.
 */
export async function vspcStandIn(port = 0): Promise<StandIn> {
  const console: Console = {
    companies: [],
    servers: [],
    managementAgents: [],
    agents: [],
    jobs: [],
    agentJobs: [],
    office365Jobs: [],
    sessions: [],
    repositories: [],
    computers: [],
    alarms: [],
    licences: [],
    maxPage: 200,
    fault: () => null,
    later: () => false,
    order: (rows) => rows,
  };
  const tokens = new Set<string>([KEY]);
  const refreshes = new Set<string>();
  const later = new Map<string, { told: Details; asked: number }>();
  let made = 0;
  const stand: StandIn = {
    console,
    tokens,
    signIns: 0,
    renewals: 0,
    outside: await listen(respond, undefined, port),
  };
  return stand;

  async function respond(request: Query): Promise<Details> {
    const url = new URL(request.path, 'http://stand.in');
    const path = url.pathname.replace('/api/v3/', '').replace(/\/$/, '');
    const error = await console.fault(request, path);
    if (error) return error;
    if (path === 'token') return token(new URLSearchParams(request.body));
    if (!tokens.has(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''))
      return refused('Token has expired.', 401);
    const action = /^asyncActions\/([\w-]+)(\/result)?$/.exec(path);
    if (action) {
      const one = later.get(action[1] ?? '');
      if (!one) return refused('No such action.', 404);
      if (action[2]) return one.told;
      one.asked += 1;
      return json({
        data: {
          id: action[1],
          initiatorUid: uid('me'),
          actionName: 'Get',
          status: one.asked > 1 ? 'succeed' : 'running',
          queryParameters: {},
        },
      });
    }
    const details = answer(path, url.searchParams);
    if (!console.later(request, path)) return details;
    const id = uid(`action ${(made += 1)}`);
    later.set(id, { told: details, asked: 0 });
    return {
      status: 202,
      headers: { location: `https://elsewhere.example/api/v3/asyncActions/${id}` },
    };
  }

  function token(form: URLSearchParams): Details {
    const renewed = form.get('grant_type') === 'refresh_token';
    const good = renewed
      ? refreshes.delete(form.get('refresh_token') ?? '')
      : form.get('username') === USER.name && form.get('password') === USER.secret;
    if (!good)
      return json(
        { error: 'invalid_grant', error_description: 'The user name or password is incorrect.' },
        400,
      );
    if (renewed) stand.renewals += 1;
    else stand.signIns += 1;
    const access = `access-${(made += 1)}`;
    const refresh = `refresh-${made}`;
    tokens.add(access);
    refreshes.add(refresh);
    return json({
      access_token: access,
      token_type: 'bearer',
      refresh_token: refresh,
      expires_in: 3600,
    });
  }

  function answer(path: string, query: URLSearchParams): Details {
    if (path === 'infrastructure/jobSessionHeatmap')
      return json(heatmap(Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')));
    const one = /^(infrastructure\/backupServers\/jobs)\/([\w-]{36})$/.exec(path);
    const row = one && console.jobs.find(({ instanceUid }) => instanceUid === one[2]);
    if (row) return json({ data: row });
    const list = LISTS[path];
    if (list === undefined) return refused('Not found.', 404);
    const rows = console.order(console[list] as Row[], path);
    const offset = Number(query.get('offset'));
    const limit = Math.min(console.maxPage, Number(query.get('limit')));
    const page = rows.slice(offset, offset + limit);
    return json({
      meta: { pagingInfo: { total: rows.length, count: page.length, offset } },
      data: page,
    });
  }

  function heatmap(from: number, to: number): unknown {
    const own = console.sessions.filter(({ startTime }) => {
      const at = Date.parse(String(startTime));
      return at >= from && at <= to;
    });
    const days = [...Map.groupBy(own, ({ startTime }) => String(startTime).slice(0, 10))].map(
      ([date, sessions]) => ({ date, sessions }),
    );
    const count = (result: string): number => own.filter((one) => one['result'] === result).length;
    return {
      data: {
        successJobsCount: count('Success'),
        warningJobsCount: count('Warning'),
        failJobsCount: count('Failed'),
        dataPerDays: days,
      },
    };
  }
}

export const refused = (message: string, status: number): Details =>
  json({ errors: [{ message, type: 'security', code: status }] }, status);
