import * as v from 'valibot';
import { call } from '../call.ts';
import { anyTenantId } from '../paging.ts';
import { ProviderSettingsSchema, SECRET_NAMES } from './settings.ts';

/** What can be tested. `mail` and `sms` send a message to the caller. */
export const TESTED_SYSTEMS = ['mail', 'sms', 'directory', 'oidc'] as const;
export type TestedSystem = (typeof TESTED_SYSTEMS)[number];

/** `secrets`: which secrets are set. Their values are never returned. */
export const StoredSettingsSchema = v.object({
  settings: ProviderSettingsSchema,
  secrets: v.array(v.picklist(SECRET_NAMES)),
});
export type StoredSettings = v.InferOutput<typeof StoredSettingsSchema>;

export const settingsCalls = {
  getProviderSettings: call({
    method: 'GET',
    path: 'service-providers/{id}/settings',
    summary:
      'Returns the sign-in and delivery settings of a provider that the caller manages, their own or one below. Shows which secrets are set, but never their values.',
    input: v.strictObject({ id: anyTenantId }),
    output: StoredSettingsSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  setProviderSettings: call({
    method: 'PUT',
    path: 'service-providers/{id}/settings',
    summary:
      'Changes the settings that are sent and leaves the others unchanged; null removes a section. Changing an address deletes the secret that belongs to it.',
    input: v.strictObject({ id: anyTenantId, ...ProviderSettingsSchema.entries }),
    output: StoredSettingsSchema,
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  setProviderSecret: call({
    method: 'PUT',
    path: 'service-providers/{id}/secrets/{name}',
    summary: 'Stores a secret encrypted; null deletes it.',
    input: v.strictObject({
      id: anyTenantId,
      name: v.picklist(SECRET_NAMES),
      value: v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(4_000))),
    }),
    output: v.object({ secrets: v.array(v.picklist(SECRET_NAMES)) }),
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  testProviderSettings: call({
    method: 'POST',
    path: 'service-providers/{id}/test/{what}',
    summary:
      'Tests a setting and describes the outcome. Test email and SMS messages go to the caller.',
    input: v.strictObject({ id: anyTenantId, what: v.picklist(TESTED_SYSTEMS) }),
    output: v.object({ ok: v.boolean(), message: v.string() }),
    gate: 'admin.dashboard',
    failures: ['not-found', 'too-many'],
  }),
} as const;
