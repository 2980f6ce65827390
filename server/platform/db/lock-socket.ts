import { rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';

export interface Listener {
  readonly name: string;
  close(): Promise<void>;
}

/** Longer paths don't fit into the address of a Unix socket. */
const PATH_BYTES = 100;

/**
 * Binds a socket that accepts connections while this process lives; the system closes it with the
 * process. Null if it can't be bound.
 */
export function bind(dir: string, name: string): Promise<Listener | null> {
  const path = join(dir, name);
  if (process.platform === 'win32' || Buffer.byteLength(path) > PATH_BYTES)
    return Promise.resolve(null);
  return new Promise((resolve) => {
    const server = createServer((connection) => connection.end());
    server.on('error', () => resolve(null));
    server.listen(path, () => {
      server.unref();
      resolve({
        name,
        close: () =>
          new Promise(
            (closed) =>
              void server.close(() => void rm(path, { force: true }).then(closed, closed)),
          ),
      });
    });
  });
}

/**
 * Returns whether a process listens. A full queue means a stopped or slow owner; only "refused" and
 * "not found" mean none.
 */
export function answers(dir: string, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(join(dir, name));
    const say = (listens: boolean) => (): void => {
      connection.destroy();
      resolve(listens);
    };
    connection.once('connect', say(true));
    connection.once('error', (error: NodeJS.ErrnoException) =>
      say(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')(),
    );
  });
}
