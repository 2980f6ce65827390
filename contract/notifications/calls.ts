import * as v from 'valibot';
import { call } from '../call.ts';
import { lastErrorFields } from '../last-error.ts';
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

/** `agent`: the browser's user agent. `error`: why the last delivery failed, if it did. */
const deviceOut = v.object({
  _id: v.string(),
  agent: v.string(),
  current: v.boolean(),
  madeAt: v.number(),
  lastAt: at,
  ...lastErrorFields,
});
export type PushDeviceOut = v.InferOutput<typeof deviceOut>;

/**
 * `categories`: those that this user can choose. `email`: where email goes once the address is
 * verified (EMAIL-1). `vapid`: the key with which a browser subscribes.
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
 * `failingSince`: when the current series of failed deliveries began. `stoppedAt`: when the webhook
 * was switched off because of them. `waiting`: number of deliveries under way.
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
 * `code`: the HTTP status of the last response; null if there was none. `facts`: the number of
 * facts in the delivery.
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
  ...lastErrorFields,
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
    summary: "Returns the user's notification settings: email, web push, quiet hours and devices.",
    input: v.strictObject({}),
    output: notifyOut,
    gate: 'signed-in',
    failures: [],
  }),
  saveNotify: call({
    method: 'PUT',
    path: 'monitoring/notify',
    summary:
      "Saves the user's notification settings. `weekdays`: 1 is Monday; a single day means once a week.",
    input: v.strictObject({ settings: NotifySchema }),
    output: v.object({ nextAt: at }),
    gate: 'signed-in',
    failures: ['bad-input'],
  }),
  sendDigest: call({
    method: 'POST',
    path: 'monitoring/notify/digest',
    summary: 'Sends the current digest to the user, even if nothing is broken.',
    input: v.strictObject({}),
    output: v.object({ to: v.string() }),
    gate: 'signed-in',
    failures: ['conflict', 'too-many'],
  }),
  addPushDevice: call({
    method: 'POST',
    path: 'monitoring/notify/devices',
    summary:
      'Registers this browser for web push with its `PushSubscription`. The registration belongs to the session and ends when the user signs out.',
    input: v.strictObject({ endpoint, keys: v.strictObject({ p256dh: key(65), auth: key(16) }) }),
    output: v.object({ _id: v.string() }),
    gate: 'signed-in',
    failures: ['bad-input', 'conflict'],
  }),
  renewPushDevice: call({
    method: 'POST',
    path: 'monitoring/notify/devices/seen',
    summary:
      'Tells whether this browser is registered for the user, and moves the registration to this session. If it belongs to another user, it is removed.',
    input: v.strictObject({ endpoint }),
    output: v.object({ known: v.boolean() }),
    gate: 'signed-in',
    failures: ['bad-input'],
  }),
  removePushDevice: call({
    method: 'DELETE',
    path: 'monitoring/notify/devices/{id}',
    summary: 'Removes a browser from web push.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  testPushDevice: call({
    method: 'POST',
    path: 'monitoring/notify/devices/{id}/test',
    summary:
      'Sends a test notification to one of the user’s browsers. `message`: the response of its push service, if it refused.',
    input: v.strictObject({ id: anyId }),
    output: v.object({ ok: v.boolean(), message: v.string() }),
    gate: 'signed-in',
    failures: ['not-found', 'too-many'],
  }),
  listWebhooks: call({
    method: 'GET',
    path: hooks,
    summary: 'Lists the webhooks, with the outcome of the last delivery of each.',
    input: v.strictObject({}),
    output: v.object({ webhooks: v.array(webhookOut) }),
    gate,
    failures: [],
  }),
  createWebhook: call({
    method: 'POST',
    path: hooks,
    summary:
      'Creates a webhook. Its secret is in this response only; deliveries are signed with it as described by Standard Webhooks.',
    input: v.strictObject({ webhook: WebhookSchema }),
    output: withSecret,
    gate,
    failures: ['bad-input', 'conflict', 'forbidden'],
  }),
  changeWebhook: call({
    method: 'PUT',
    path: `${hooks}/{id}`,
    summary:
      'Changes a webhook. Its secret stays, and so do its companies if `companies` is left out. Switching it on again resets its failures. Deliveries under way are not changed.',
    input: v.strictObject({ id: anyId, webhook: WebhookSchema }),
    output: v.object({}),
    gate,
    failures: ['bad-input', 'not-found', 'conflict', 'forbidden'],
  }),
  removeWebhook: call({
    method: 'DELETE',
    path: `${hooks}/{id}`,
    summary: 'Deletes a webhook, its history and its pending deliveries.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate,
    failures: ['not-found'],
  }),
  renewWebhookSecret: call({
    method: 'POST',
    path: `${hooks}/{id}/secret`,
    summary:
      'Creates a new secret, which is in this response only. Deliveries are signed with both secrets for a day.',
    input: v.strictObject({ id: anyId }),
    output: withSecret,
    gate,
    failures: ['not-found'],
  }),
  testWebhook: call({
    method: 'POST',
    path: `${hooks}/{id}/test`,
    summary:
      'Delivers one message of type `test` now. `code`: the HTTP status of the response; null if there was none.',
    input: v.strictObject({ id: anyId }),
    output: v.object({ ok: v.boolean(), code: at, message: v.string() }),
    gate,
    failures: ['not-found', 'too-many'],
  }),
  listDeliveries: call({
    method: 'GET',
    path: `${hooks}/{id}/deliveries`,
    summary:
      'Lists the deliveries of a webhook, including those under way, newest first: the last 200 of 30 days.',
    input: v.strictObject({ id: anyId }),
    output: v.object({ deliveries: v.array(deliveryOut) }),
    gate,
    failures: ['not-found'],
  }),
  redeliver: call({
    method: 'POST',
    path: `${hooks}/{id}/deliveries/{delivery}/again`,
    summary: 'Sends a delivery again under the same ID.',
    input: v.strictObject({ id: anyId, delivery: anyId }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'conflict'],
  }),
} as const;
