import { onWho, whoNow } from './door.ts';

/** Asks the browser, once somebody is signed in, not to throw the data of this page away. A worker may only ask whether it promised. */
export function askToPersist(): void {
  const stop = onWho(() => {
    if (whoNow().is !== 'in') return;
    queueMicrotask(() => stop());
    // Refused or not at hand: the sync status says so.
    if ('storage' in navigator) navigator.storage.persist().catch(() => {});
  });
}
