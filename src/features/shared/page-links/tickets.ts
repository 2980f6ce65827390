/**
 * One ticket, in whatever state it is. In a file of its own: what leads to a ticket need not have
 * its list.
 */
export const ticketAddress = (id: string): string => `/monitoring/tickets?state=all&ticket=${id}`;
