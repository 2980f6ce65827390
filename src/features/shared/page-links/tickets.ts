/**
 * Returns the address of a ticket in any state. In its own module, so that links do not import the
 * ticket list.
 */
export const ticketAddress = (id: string): string => `/monitoring/tickets?state=all&ticket=${id}`;
