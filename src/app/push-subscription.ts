import { client } from './worker/worker-client.ts';
import { withReauth } from './shell/reauth/reauth.ts';

/**
 * How this browser stands with web push. `off`: it can be switched on. `home`: only where the
 * portal was put on the home screen. `denied`: its user has refused. `none`: it does not know it,
 * or keeps nothing of this site.
 */
export type PushState = 'on' | 'off' | 'home' | 'denied' | 'none';

const here = async (): Promise<ServiceWorkerRegistration | null> =>
  'serviceWorker' in navigator ? ((await navigator.serviceWorker.getRegistration()) ?? null) : null;

/** The first time, the browser is still about to keep this site. */
async function soon(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator)) return null;
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), LONG_MS);
  const found = await Promise.race([navigator.serviceWorker.ready, late.promise]);
  clearTimeout(timer);
  return found;
}
const subscribed = async (): Promise<PushSubscription | null> => {
  const registration = await here();
  return registration !== null && 'pushManager' in registration
    ? registration.pushManager.getSubscription()
    : null;
};

/** `known`: whether the server has this browser among the user's. */
export async function pushState(known: boolean): Promise<PushState> {
  const registration = 'PushManager' in globalThis ? await soon() : null;
  if (registration === null || !('Notification' in globalThis))
    return /iPhone|iPad|iPod/.test(navigator.userAgent) ? 'home' : 'none';
  if (Notification.permission === 'denied') return 'denied';
  return known && Notification.permission === 'granted' && (await subscribed()) !== null
    ? 'on'
    : 'off';
}

/**
 * Asks the person, subscribes and tells the server. A sentence where it did not come to that; null
 * where it did. Called by a click only.
 */
export async function beginPush(vapid: string): Promise<string | null> {
  const registration = await here();
  if (registration === null) return NOT_HERE;
  const permission = await Notification.requestPermission();
  if (permission !== 'granted')
    return permission === 'denied'
      ? 'This browser does not allow notifications of this site. Allow them in its settings for this site, then try again.'
      : 'Nothing was allowed. Try again and choose “Allow”.';
  try {
    // One that was made with another key is of no use any more.
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    const made = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: vapid,
    });
    const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = made.toJSON();
    const result = await withReauth(() =>
      client().ask('addPushDevice', { endpoint, keys: { p256dh, auth } }),
    );
    if (result.ok) return null;
    await made.unsubscribe();
    return result.failure.message;
  } catch {
    return 'This browser could not reach its push service. A firewall or the browser’s own settings may keep it from it.';
  }
}

/**
 * For who has just come: this browser is told of nobody else any more, and belongs to this session.
 */
export async function keepPush(): Promise<void> {
  const subscription = await subscribed().catch(() => null);
  if (subscription === null) return;
  const result = await client().ask('keepPushDevice', { endpoint: subscription.endpoint });
  if (result.ok && !result.value.known) await subscription.unsubscribe();
}

/** Nothing more comes here. */
export async function endPush(): Promise<void> {
  await (await subscribed().catch(() => null))?.unsubscribe();
}

const LONG_MS = 20_000;
const NOT_HERE =
  'This browser keeps nothing of this site, so it cannot be told. A private window is such a one.';
