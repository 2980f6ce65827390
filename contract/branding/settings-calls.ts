import * as v from 'valibot';
import { call } from '../call.ts';
import { anyId } from '../paging.ts';
import { ProviderSettingsSchema, SECRET_NAMES } from './settings.ts';

/** What can be tried: `mail` and `sms` send a message to the one who asks. */
export const TRIED = ['mail', 'sms', 'directory', 'oidc'] as const;
export type Tried = (typeof TRIED)[number];

/** `secrets`: which are set. What is in them is never given back. */
export const KeptSettingsSchema = v.object({
  settings: ProviderSettingsSchema,
  secrets: v.array(v.picklist(SECRET_NAMES)),
});
export type KeptSettings = v.InferOutput<typeof KeptSettingsSchema>;

export const settingsCalls = {
  getProviderSettings: call({
    method: 'GET',
    path: 'service-providers/{id}/settings',
    summary:
      'How a provider that one keeps signs people in and sends: the own one, or one below. Which secrets are set, never what is in them.',
    input: v.strictObject({ id: anyId }),
    output: KeptSettingsSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  setProviderSettings: call({
    method: 'PUT',
    path: 'service-providers/{id}/settings',
    summary:
      'Changes what is sent and leaves the rest; null takes a part away. A secret goes with the address that it was for.',
    input: v.strictObject({ id: anyId, ...ProviderSettingsSchema.entries }),
    output: KeptSettingsSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  setProviderSecret: call({
    method: 'PUT',
    path: 'service-providers/{id}/secrets/{name}',
    summary: 'Keeps a secret sealed; null takes it away.',
    input: v.strictObject({
      id: anyId,
      name: v.picklist(SECRET_NAMES),
      value: v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(4_000))),
    }),
    output: v.object({ secrets: v.array(v.picklist(SECRET_NAMES)) }),
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  tryProviderSettings: call({
    method: 'POST',
    path: 'service-providers/{id}/test/{what}',
    summary:
      'Tries what is set, and says in words what came of it. Mail and SMS go to the one who asks.',
    input: v.strictObject({ id: anyId, what: v.picklist(TRIED) }),
    output: v.object({ ok: v.boolean(), says: v.string() }),
    gate: 'admin.dashboard',
    failures: ['not-found', 'too-many'],
  }),
} as const;
