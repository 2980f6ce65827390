import { LRUCache } from 'lru-cache';
import * as v from 'valibot';
import type { AutotaskAt } from '#contract/tickets/ticketing.ts';
import type { Named } from '#contract/tickets/tickets.ts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  askPsa,
  shortenTicketText,
  type Psa,
  PsaError,
  REFERENCE,
  type RemoteChange,
  type RemoteTicket,
  sameSite,
  shaped,
} from './psa.ts';
import { ticketMessages as t } from './messages.en.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import { DAY_MS, HOUR_MS } from '#contract/time/durations.ts';

const num = v.pipe(v.number(), v.safeInteger());
const text = v.optional(v.nullable(v.string()), null);
const whole = v.optional(v.nullable(num), null);
const Zone = v.object({ url: v.string(), webUrl: text });
const Company = v.object({
  id: num,
  companyName: v.string(),
  companyNumber: text,
  isActive: v.optional(v.union([v.boolean(), v.number()]), true),
});
const Ticket = v.object({
  id: num,
  ticketNumber: v.string(),
  title: v.string(),
  status: num,
  priority: whole,
  externalID: text,
  lastActivityDate: text,
  companyID: whole,
  assignedResourceID: whole,
});
const Resource = v.object({
  id: num,
  firstName: text,
  lastName: text,
  email: text,
  userName: text,
});
const Role = v.object({
  resourceID: num,
  roleID: num,
  isDefault: v.optional(v.nullable(v.boolean()), false),
});
const Fields = v.object({
  fields: v.array(
    v.object({
      name: v.string(),
      picklistValues: v.optional(
        v.nullable(
          v.array(
            v.object({
              value: v.string(),
              label: v.string(),
              isActive: v.optional(v.boolean(), true),
            }),
          ),
        ),
        [],
      ),
    }),
  ),
});
const Made = v.object({ itemId: num });
const page = <S extends v.GenericSchema>(item: S) =>
  v.object({ items: v.array(item), pageDetails: v.object({ nextPageUrl: text }) });

/** The maximum page size of Autotask, and the maximum number of further pages. */
const RECORDS = 500;
const PAGES = 50;
interface Place {
  readonly base: string;
  readonly web: string | null;
  readonly at: Ms;
}
/** Where Autotask serves its users, by address and user. */
export type AutotaskZones = LRUCache<string, Place>;

export const makeAutotaskZones = (): AutotaskZones => new LRUCache({ max: 1_000 });

type Filter = readonly Readonly<Record<string, unknown>>[];

const getName = ({ id, firstName, lastName, userName }: v.InferOutput<typeof Resource>): Named => ({
  id: String(id),
  name: shortenTicketText(
    [firstName, lastName].filter(Boolean).join(' ') || (userName ?? String(id)),
  ),
});
const same = (a: string | null, b: string | null): boolean =>
  a !== null && b !== null && a !== '' && a.toLowerCase() === b.toLowerCase();
const named = (all: readonly Named[], value: number): Named =>
  all.find(({ id }) => id === String(value)) ?? { id: String(value), name: String(value) };

/**
 * Autotask's REST API, version 1.0. `closed`: the status of closed tickets; no other field shows
 * that a ticket is closed.
 */
export function autotask(
  context: AppContext,
  at: AutotaskAt,
  secret: string,
  closed: string | null,
): Psa {
  const headers = {
    apiintegrationcode: at.integrationCode,
    username: at.username,
    secret,
    accept: 'application/json',
  };
  const ask = (method: string, url: string, body?: unknown): ReturnType<typeof askPsa> =>
    askPsa(context, 'autotask', url, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });

  /**
   * Returns the address of the user's zone, cached for an hour. The request does not include the
   * secret.
   */
  async function place(): Promise<Place> {
    const { autotaskZones } = context;
    const key = `${at.url} ${at.username}`;
    const there = autotaskZones.get(key);
    const now = context.clock.now();
    if (there && now >= there.at && now - there.at < HOUR_MS) return there;
    const { body } = await askPsa(
      context,
      'autotask',
      `${at.url.replace(/\/+$/, '')}/ATServicesRest/V1.0/zoneInformation?user=${encodeURIComponent(at.username)}`,
      { headers: { accept: 'application/json' } },
    );
    const { url, webUrl } = shaped('autotask', Zone, body);
    if (!sameSite(at.url, url, '.autotask.net')) throw new PsaError('refused', t.foreignZone);
    const found = {
      base: `${url.replace(/\/+$/, '')}/V1.0`,
      web: webUrl === null ? null : webUrl.replace(/\/+$/, ''),
      at: now,
    };
    autotaskZones.set(key, found);
    return found;
  }
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    (await ask(method, `${(await place()).base}/${path}`, body)).body;

  /** Yields the pages of an entity; each response contains the address of the next one. */
  async function* pages<S extends v.GenericSchema>(
    schema: S,
    entity: string,
    filter: Filter,
    size: number,
  ): AsyncGenerator<{ readonly rows: readonly v.InferOutput<S>[]; readonly more: boolean }> {
    const { base } = await place();
    let answer = await ask('POST', `${base}/${entity}/query`, { MaxRecords: size, filter });
    for (let n = 0; n < PAGES; n += 1) {
      const {
        items,
        pageDetails: { nextPageUrl },
      } = shaped('autotask', page(schema), answer.body);
      yield { rows: items, more: nextPageUrl !== null };
      if (nextPageUrl === null) return;
      if (!sameSite(base, nextPageUrl, '.autotask.net'))
        throw new PsaError('refused', t.foreignPage);
      answer = await ask('POST', nextPageUrl, { MaxRecords: size, filter });
    }
  }
  async function every<S extends v.GenericSchema>(
    schema: S,
    entity: string,
    filter: Filter,
  ): Promise<readonly v.InferOutput<S>[]> {
    const all: v.InferOutput<S>[] = [];
    for await (const { rows } of pages(schema, entity, filter, RECORDS)) all.push(...rows);
    return all;
  }

  async function lists(): Promise<{
    readonly queues: readonly Named[];
    readonly statuses: readonly Named[];
    readonly priorities: readonly Named[];
  }> {
    const { fields } = shaped(
      'autotask',
      Fields,
      await send('GET', 'Tickets/entityInformation/fields'),
    );
    const of = (name: string): readonly Named[] =>
      (fields.find((one) => one.name === name)?.picklistValues ?? [])
        .filter(({ isActive }) => isActive)
        .map(({ value, label }) => ({ id: value, name: shortenTicketText(label) }));
    return { queues: of('queueID'), statuses: of('status'), priorities: of('priority') };
  }
  /** The configured status, otherwise Autotask's own status for completed tickets. */
  const isClosed = ({ id, name }: Named): boolean =>
    closed === null ? name === 'Complete' : id === closed;

  const resources = async (ids: readonly number[]): Promise<readonly Named[]> =>
    ids.length === 0
      ? []
      : (await every(Resource, 'Resources', [{ op: 'in', field: 'id', value: ids }])).map(getName);

  const people = async (
    field: string,
    value: string | null,
  ): Promise<readonly v.InferOutput<typeof Resource>[]> =>
    value === null || value === ''
      ? []
      : every(Resource, 'Resources', [...active, { op: 'eq', field, value }]);

  /**
   * A resource owns a ticket in a service desk role: Autotask accepts the two only together.
   * Omitted fields do not change.
   */
  async function assigned(
    owner: string | null | undefined,
  ): Promise<Readonly<Record<string, number | null>>> {
    if (owner === undefined) return {};
    if (owner === null) return { assignedResourceID: null, assignedResourceRoleID: null };
    const roles = await every(Role, 'ResourceServiceDeskRoles', [
      ...active,
      { op: 'eq', field: 'resourceID', value: Number(owner) },
    ]);
    const role = roles.find(({ isDefault }) => isDefault) ?? roles[0];
    if (!role) throw new PsaError('refused', t.noServiceDeskRole);
    return { assignedResourceID: Number(owner), assignedResourceRoleID: role.roleID };
  }

  async function loadRemote(
    tickets: readonly v.InferOutput<typeof Ticket>[],
  ): Promise<readonly RemoteTicket[]> {
    if (tickets.length === 0) return [];
    const { statuses, priorities } = await lists();
    const { web } = await place();
    const owners = await resources([
      ...new Set(tickets.flatMap(({ assignedResourceID }) => assignedResourceID ?? [])),
    ]);
    return tickets.map(
      ({
        id,
        ticketNumber,
        title,
        status,
        priority,
        externalID,
        lastActivityDate,
        companyID,
        assignedResourceID,
      }): RemoteTicket => {
        const current = named(statuses, status);
        const seen =
          lastActivityDate === null
            ? Number.NaN
            : Date.parse(
                /Z|[+-]\d\d:\d\d$/.test(lastActivityDate)
                  ? lastActivityDate
                  : `${lastActivityDate}Z`,
              );
        return {
          id: String(id),
          number: ticketNumber,
          url:
            web === null
              ? null
              : `${web}/Autotask/AutotaskExtend/ExecuteCommand.aspx?Code=OpenTicketDetail&TicketID=${id}`,
          reference: externalID,
          company: companyID === null ? null : String(companyID),
          subject: title,
          status: { ...current, closed: isClosed(current) },
          owner: assignedResourceID === null ? null : named(owners, assignedResourceID),
          priority: priority === null ? null : named(priorities, priority),
          updatedAt: Number.isFinite(seen) ? seen : null,
        };
      },
    );
  }
  const only = async (ticket: v.InferOutput<typeof Ticket>): Promise<RemoteTicket> => {
    const [one] = await loadRemote([ticket]);
    if (!one) throw new PsaError('later', t.badResponse({ system: SYSTEM_NAMES.autotask }));
    return one;
  };
  const get = async (id: string): Promise<RemoteTicket> => {
    // A missing ticket is answered without an item.
    const { item } = shaped(
      'autotask',
      v.object({ item: v.nullable(Ticket) }),
      await send('GET', `Tickets/${encodeURIComponent(id)}`),
    );
    if (item === null) throw new PsaError('gone', t.missing({ system: SYSTEM_NAMES.autotask }));
    return only(item);
  };
  const active: Filter = [{ op: 'eq', field: 'isActive', value: true }];

  return {
    async choices() {
      const { queues, statuses, priorities } = await lists();
      return {
        boards: [...queues],
        statuses: statuses.map((one) => ({ ...one, closed: isClosed(one) })),
        priorities: [...priorities],
      };
    },
    async companies({ search, page: wanted, pageSize }) {
      let n = 0;
      for await (const { rows, more } of pages(
        Company,
        'Companies',
        search === undefined || search === ''
          ? active
          : [...active, { op: 'contains', field: 'companyName', value: search }],
        pageSize,
      )) {
        n += 1;
        if (n === wanted)
          return {
            rows: rows.map((one) => ({
              id: String(one.id),
              name: shortenTicketText(one.companyName),
              identifier: one.companyNumber ?? '',
            })),
            page: wanted,
            more,
          };
      }
      return { rows: [], page: wanted, more: false };
    },
    everyCompany: async () =>
      (await every(Company, 'Companies', active))
        .filter(({ isActive }) => Boolean(isActive))
        .map((one) => ({ id: String(one.id), name: shortenTicketText(one.companyName) })),
    async meant(said) {
      const id = /[?&]TicketID=(\d{1,12})(?:&|$)/i.exec(said)?.[1];
      const [found] = await every(Ticket, 'Tickets', [
        id === undefined
          ? { op: 'eq', field: 'ticketNumber', value: said.trim().toUpperCase() }
          : { op: 'eq', field: 'id', value: Number(id) },
      ]);
      return found ? only(found) : null;
    },
    async find(reference) {
      const own = (
        await every(Ticket, 'Tickets', [{ op: 'eq', field: 'externalID', value: reference }])
      ).find(({ externalID }) => externalID === reference);
      return own ? only(own) : null;
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
      const { itemId } = shaped(
        'autotask',
        Made,
        await send('POST', 'Tickets', {
          companyID: Number(company),
          queueID: Number(board),
          status: Number(status),
          title: subject,
          description,
          externalID: reference,
          dueDateTime: new Date(context.clock.now() + DAY_MS).toISOString(),
          ...(owner !== null && (await assigned(owner))),
          ...(priority !== null && { priority: Number(priority) }),
          ...(contact !== null && { contactID: Number(contact) }),
        }),
      );
      return get(String(itemId));
    },
    async change(id, { subject, description, status, priority, owner, reference }: RemoteChange) {
      await send('PATCH', 'Tickets', {
        id: Number(id),
        ...(subject !== undefined && { title: subject }),
        ...(description !== undefined && { description }),
        ...(status !== undefined && { status: Number(status) }),
        ...(typeof priority === 'string' && { priority: Number(priority) }),
        ...(reference !== undefined && { externalID: reference }),
        ...(await assigned(owner)),
      });
    },
    get,
    changedSince: async (since) =>
      loadRemote(
        await every(Ticket, 'Tickets', [
          { op: 'beginsWith', field: 'externalID', value: REFERENCE },
          { op: 'gte', field: 'lastActivityDate', value: new Date(since).toISOString() },
        ]),
      ),
    async members({ search, page: wanted, pageSize }) {
      let n = 0;
      for await (const { rows, more } of pages(
        Resource,
        'Resources',
        search === undefined || search === ''
          ? active
          : [...active, { op: 'contains', field: 'lastName', value: search }],
        pageSize,
      )) {
        n += 1;
        if (n === wanted)
          return {
            rows: rows.map((one) => ({ ...getName(one), identifier: one.userName ?? '' })),
            page: wanted,
            more,
          };
      }
      return { rows: [], page: wanted, more: false };
    },
    async memberOf(email, username) {
      const found =
        (await people('email', email)).find((one) => same(one.email, email)) ??
        (await people('userName', username)).find((one) => same(one.userName, username));
      return found ? getName(found) : null;
    },
  };
}
