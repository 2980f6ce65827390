import * as v from 'valibot';
import { call } from '../call.ts';
import { anyId } from '../paging.ts';
import {
  DELIVERY_STATES,
  NOTIFY_CATEGORIES,
  NotifySchema,
  WebhookSchema,
} from './notifications.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const at = orNull(v.number());
const endpoint = v.pipe(v.string(), v.url(), v.startsWith('https://'), v.maxLength(2_000));
const key = (bytes: number) =>
  v.pipe(
    v.string(),
    v.maxLength(200),
    v.regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}=*$`)),
  );

/** `agent`: the browser, as it names itself. `fault`: of the last try, where that failed. */
const deviceOut = v.object({
  _id: v.string(),
  agent: v.string(),
  current: v.boolean(),
  madeAt: v.number(),
  lastAt: at,
  fault: orNull(v.string()),
});
export type PushDeviceOut = v.InferOutput<typeof deviceOut>;

/**
 * `categories`: those that this user may be told of. `email`: where mail goes, once it is verified
 * (EMAIL-1). `vapid`: the key that a browser subscribes with.
 */
const notifyOut = v.object({
  settings: NotifySchema,
  categories: v.array(v.picklist(NOTIFY_CATEGORIES)),
  email: orNull(v.string()),
  emailVerified: v.boolean(),
  nextAt: at,
  lastAt: at,
  vapid: v.string(),
  devices: v.array(deviceOut),
});
export type NotifyOut = v.InferOutput<typeof notifyOut>;

const category = v.picklist([...NOTIFY_CATEGORIES, 'test']);
/**
 * `failingSince`: of tries in a row that failed. `stoppedAt`: switched off because of them.
 * `waiting`: on their way.
 */
const webhookOut = v.object({
  _id: v.string(),
  ...WebhookSchema.entries,
  companies: orNull(v.array(v.number())),
  madeAt: v.number(),
  changedAt: v.number(),
  failingSince: at,
  stoppedAt: at,
  lastAt: at,
  lastState: orNull(v.picklist(DELIVERY_STATES)),
  lastCode: at,
  waiting: v.number(),
});
export type WebhookOut = v.InferOutput<typeof webhookOut>;

/**
 * `code`: the HTTP status of the last answer; null: there was none. `facts`: how many are told of
 * in it.
 */
const deliveryOut = v.object({
  _id: v.string(),
  category,
  facts: v.number(),
  state: v.picklist(DELIVERY_STATES),
  madeAt: v.number(),
  doneAt: at,
  nextAt: at,
  tries: v.number(),
  code: at,
  fault: orNull(v.string()),
  body: v.string(),
});
export type DeliveryOut = v.InferOutput<typeof deliveryOut>;

const hooks = 'monitoring/webhooks';
const gate = 'monitoring.sources';
const withSecret = v.object({ _id: v.string(), secret: v.string() });

export const notifyCalls = {
  getNotify: call({
    method: 'GET',
    path: 'monitoring/notify',
    summary: 'How the user is told: by mail, by web push, when not, and on which devices.',
    input: v.strictObject({}),
    output: notifyOut,
    gate: 'signed-in',
    failures: [],
  }),
  saveNotify: call({
    method: 'PUT',
    path: 'monitoring/notify',
    summary: 'Keeps how the user is told. `weekdays`: 1 is Monday; one alone is once a week.',
    input: v.strictObject({ settings: NotifySchema }),
    output: v.object({ nextAt: at }),
    gate: 'signed-in',
    failures: ['bad-input'],
  }),
  sendDigest: call({
    method: 'POST',
    path: 'monitoring/notify/digest',
    summary: 'Sends the digest of this moment to the user, also where nothing is broken.',
    input: v.strictObject({}),
    output: v.object({ to: v.string() }),
    gate: 'signed-in',
    failures: ['conflict', 'too-many'],
  }),
  addPushDevice: call({
    method: 'POST',
    path: 'monitoring/notify/devices',
    summary:
      'A browser that is told by web push, as its `PushSubscription` says. It belongs to the session: signing out ends it.',
    input: v.strictObject({ endpoint, keys: v.strictObject({ p256dh: key(65), auth: key(16) }) }),
    output: v.object({ _id: v.string() }),
    gate: 'signed-in',
    failures: ['bad-input', 'conflict'],
  }),
  keepPushDevice: call({
    method: 'POST',
    path: 'monitoring/notify/devices/seen',
    summary:
      'Whether this browser is one of the user’s; it belongs to this session from now on. Of somebody else, it is told no more.',
    input: v.strictObject({ endpoint }),
    output: v.object({ known: v.boolean() }),
    gate: 'signed-in',
    failures: ['bad-input'],
  }),
  removePushDevice: call({
    method: 'DELETE',
    path: 'monitoring/notify/devices/{id}',
    summary: 'A browser that is told no more.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  tryPushDevice: call({
    method: 'POST',
    path: 'monitoring/notify/devices/{id}/test',
    summary:
      'Sends a notification to one of the user’s browsers. `says`: what its push service answered, where that was no.',
    input: v.strictObject({ id: anyId }),
    output: v.object({ ok: v.boolean(), says: v.string() }),
    gate: 'signed-in',
    failures: ['not-found', 'too-many'],
  }),
  listWebhooks: call({
    method: 'GET',
    path: hooks,
    summary: 'Addresses that are told of what happens, and how each of them answered last.',
    input: v.strictObject({}),
    output: v.object({ webhooks: v.array(webhookOut) }),
    gate,
    failures: [],
  }),
  makeWebhook: call({
    method: 'POST',
    path: hooks,
    summary:
      'A new address. Its secret is made here and told this once; deliveries are signed with it as Standard Webhooks describe.',
    input: v.strictObject({ webhook: WebhookSchema }),
    output: withSecret,
    gate,
    failures: ['bad-input', 'conflict', 'forbidden'],
  }),
  changeWebhook: call({
    method: 'PUT',
    path: `${hooks}/{id}`,
    summary:
      'Changes an address; its secret stays, and where `companies` is not named its companies. Switched on again, it counts as one that never failed. What waits already goes as it was made.',
    input: v.strictObject({ id: anyId, webhook: WebhookSchema }),
    output: v.object({}),
    gate,
    failures: ['bad-input', 'not-found', 'conflict', 'forbidden'],
  }),
  removeWebhook: call({
    method: 'DELETE',
    path: `${hooks}/{id}`,
    summary: 'Takes an address away, with its history and what waits for it.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate,
    failures: ['not-found'],
  }),
  renewWebhookSecret: call({
    method: 'POST',
    path: `${hooks}/{id}/secret`,
    summary: 'A new secret, told this once. Deliveries are signed with both for a day.',
    input: v.strictObject({ id: anyId }),
    output: withSecret,
    gate,
    failures: ['not-found'],
  }),
  testWebhook: call({
    method: 'POST',
    path: `${hooks}/{id}/test`,
    summary:
      'Delivers a message of the type `test` now, once. `code`: the HTTP status that came back, null where nothing did.',
    input: v.strictObject({ id: anyId }),
    output: v.object({ ok: v.boolean(), code: at, says: v.string() }),
    gate,
    failures: ['not-found', 'too-many'],
  }),
  listDeliveries: call({
    method: 'GET',
    path: `${hooks}/{id}/deliveries`,
    summary:
      'What was delivered to an address or is on its way, the newest first; the last 200 of 30 days.',
    input: v.strictObject({ id: anyId }),
    output: v.object({ deliveries: v.array(deliveryOut) }),
    gate,
    failures: ['not-found'],
  }),
  redeliver: call({
    method: 'POST',
    path: `${hooks}/{id}/deliveries/{delivery}/again`,
    summary: 'Delivers it once more, under the same id.',
    input: v.strictObject({ id: anyId, delivery: anyId }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'conflict'],
  }),
} as const;
