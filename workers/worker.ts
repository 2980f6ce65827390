import { preopened } from './startup/start-preopen.ts';
import { bufferMessages } from './startup/message-buffer.ts';

/**
 * No more than this is loaded before the databases are being opened; the page's questions wait for
 * the rest.
 */
const inbox = bufferMessages(self);
// Both at once: the one would be asked for only when the other is here.
Promise.all([import('./startup/bootstrap.ts'), import('./startup/cold-start.ts')]).then(
  ([{ bootstrap: openDoor }]) => openDoor(preopened, inbox),
  (fault: unknown) => reportError(fault),
); // the page is told that the worker did not start
