import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CopyEnd } from './base-copies.ts';

/**
 * In the data folder of a running server, readable by its owner only: where commands ask for a copy
 * of the database, and the secret that they need.
 */
export interface CopyOffer {
  readonly port: number;
  readonly secret: string;
}
export const getOfferFile = (dataDir: string): string => join(dataDir, 'copy-offer.json');

/** What a command says, one line each, after the line with the secret. */
export const FILES_COPIED = 'files copied';
export const LOG_COPIED = 'log copied';

/** What the server answers. It is busy until the command closes the connection. */
export type CopyAnswer =
  | { readonly kind: 'begun' | 'busy' | 'failed' | 'ended' }
  | ({ readonly kind: 'finished' } & CopyEnd);

const MAX_LINE_BYTES = 1_000;

/** Null: the connection was closed. */
export interface LineReader {
  next(): Promise<string | null>;
}

/** Reads the lines of a connection. It is closed after too long a line. */
export function makeLineReader(socket: Socket): LineReader {
  let bytes = 0;
  socket.on('data', (chunk) => {
    const end = chunk.lastIndexOf('\n');
    bytes = end < 0 ? bytes + chunk.length : chunk.length - end - 1;
    if (bytes > MAX_LINE_BYTES) socket.destroy();
  });
  const reader = createInterface({ input: socket });
  socket.on('close', () => {
    reader.close();
  });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async next() {
      const line = await lines.next();
      return line.done === true ? null : line.value;
    },
  };
}
