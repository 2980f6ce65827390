import { expect, test } from 'vitest';
import {
  hasTicketsFilter,
  TICKETS_DEFAULTS,
  ticketsAddress,
  ticketsAsk,
  ticketsMoved,
  ticketsPlace,
} from '#src/features/tickets/address.ts';
import { ticketAddress } from '#src/features/shared/page-links/tickets.ts';
import { getDescription, getSubject } from '#src/features/shared/ticket-fields/defaults.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const getQuery = (address: string): string => address.split('?')[1] ?? '';

test('TICKET-9: the address has the whole state of the tickets page, and any address can be read', () => {
  expect(ticketsAddress(TICKETS_DEFAULTS)).toBe('/monitoring/tickets');
  for (const place of [
    TICKETS_DEFAULTS,
    { text: 'a & b', state: 'closed', company: 7, page: 3, size: 200, open: ID },
    { ...TICKETS_DEFAULTS, state: 'all', open: ID },
  ] as const)
    expect(ticketsPlace(getQuery(ticketsAddress(place)))).toEqual(place);
  expect(ticketsPlace('state=gone&company=-1&page=0&size=7&ticket=../x')).toEqual(TICKETS_DEFAULTS);
  expect(ticketsPlace(getQuery(ticketAddress(ID)))).toEqual({
    ...TICKETS_DEFAULTS,
    state: 'all',
    open: ID,
  });
  expect([
    ticketsMoved({ ...TICKETS_DEFAULTS, page: 4 }, { text: 'x' }).page,
    ticketsMoved({ ...TICKETS_DEFAULTS, page: 4 }, { open: ID }).page,
  ]).toEqual([1, 4]);
  expect(ticketsAsk({ ...TICKETS_DEFAULTS, text: ' disk ', company: 2 })).toEqual({
    state: 'open',
    page: '1',
    pageSize: '10',
    search: 'disk',
    company: '2',
  });
  expect([
    hasTicketsFilter(TICKETS_DEFAULTS),
    hasTicketsFilter({ ...TICKETS_DEFAULTS, state: 'all' }),
  ]).toEqual([false, true]);
});

test('TICKET-9: a new ticket starts with a suitable subject', () => {
  const row = {
    state: 'Failed',
    jobName: 'Files',
    computer: 'pc-1',
    companyName: 'Calloway',
    message: 'No space left',
  } as const;
  expect([
    getSubject(row, 1),
    getSubject(null, 3),
    getDescription(row),
    getDescription(null),
  ]).toEqual(['Failed: Files on pc-1', '3 backups need attention', 'Calloway\nNo space left', '']);
  expect(getSubject({ ...row, jobName: 'x'.repeat(200) }, 1)).toHaveLength(100);
});
