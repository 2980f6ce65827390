import { preopened } from './startup/start-preopen.ts';
import { bufferMessages } from './startup/message-buffer.ts';

/**
 * Nothing else is loaded before the databases are being opened; the page's messages wait for the
 * rest.
 */
const inbox = bufferMessages(self);
// Both at once, so that the second doesn't wait for the first.
Promise.all([import('./startup/bootstrap.ts'), import('./startup/cold-start.ts')]).then(
  ([{ startWorker }]) => startWorker(preopened, inbox),
  (error: unknown) => reportError(error),
); // the page learns that the worker did not start
