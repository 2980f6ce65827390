import { begun } from './begun.ts';
import { keepingInbox } from './inbox.ts';

/**
 * No more than this is loaded before the databases are being opened; the page's questions wait for
 * the rest.
 */
const inbox = keepingInbox(self);
// Both at once: the one would be asked for only when the other is here.
Promise.all([import('./behind.ts'), import('./opening.ts')]).then(
  ([{ openDoor }]) => openDoor(begun, inbox),
  (fault: unknown) => reportError(fault),
); // the page is told that the worker did not start
