import { client } from './worker/worker-client.ts';
import { withReauth } from './shell/reauth/reauth.ts';
import { pushMessages as t } from './push.messages.en.ts';

/**
 * State of web push in this browser. `off`: can be enabled. `home`: works only after the portal is
 * added to the home screen. `denied`: the user blocked notifications. `none`: the browser does not
 * support push or has no service worker for this site.
 */
export type PushState = 'on' | 'off' | 'home' | 'denied' | 'none';

const here = async (): Promise<ServiceWorkerRegistration | null> =>
  'serviceWorker' in navigator ? ((await navigator.serviceWorker.getRegistration()) ?? null) : null;

/** Waits for the service worker, which the browser may still be installing on the first visit. */
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

/** Returns the push state. `known`: the server lists this browser among the user's devices. */
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
 * Asks for permission, subscribes and registers the subscription on the server. Returns null on
 * success, otherwise the message to show. Browsers require a click for the permission prompt.
 */
export async function beginPush(vapid: string): Promise<string | null> {
  const registration = await here();
  if (registration === null) return t.noStorage;
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? t.blocked : t.notAllowed;
  try {
    // A subscription that was created with another VAPID key cannot be used.
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
    return t.noPushService;
  }
}

/**
 * Assigns this browser's subscription to the new session after a sign-in. Removes it if the server
 * does not know it, so that the browser receives no messages for another user.
 */
export async function keepPush(): Promise<void> {
  const subscription = await subscribed().catch(() => null);
  if (subscription === null) return;
  const result = await client().ask('renewPushDevice', { endpoint: subscription.endpoint });
  if (result.ok && !result.value.known) await subscription.unsubscribe();
}

/** Unsubscribes this browser from web push. */
export async function endPush(): Promise<void> {
  await (await subscribed().catch(() => null))?.unsubscribe();
}

const LONG_MS = 20_000;
