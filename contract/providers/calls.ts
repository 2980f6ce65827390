import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyId } from '../paging.ts';
import { nameText } from '../text-schema.ts';

const text = nameText();
const host = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(253),
  v.regex(
    /^(?=.{1,253}$)[\da-z]([\da-z-]{0,61}[\da-z])?(\.[\da-z]([\da-z-]{0,61}[\da-z])?)*$/,
    'a host name',
  ),
);
const email = v.pipe(v.string(), v.trim(), v.maxLength(254), v.email());
const username = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(LIMITS.nameChars),
  v.regex(/^[^\s\p{Cc}]+$/u, 'a name without spaces'),
);

/** `master`: the provider above; null for one that stands alone. `own`: the one that asks. */
export const ProviderSchema = v.object({
  _id: v.string(),
  name: v.string(),
  hosts: v.array(v.string()),
  master: v.nullable(v.string()),
  own: v.boolean(),
  companies: v.number(),
  users: v.number(),
});
export type ProviderListed = v.InferOutput<typeof ProviderSchema>;

export const providerCalls = {
  listProviders: call({
    method: 'GET',
    path: 'monitoring/reporting/service-providers',
    summary: 'The own provider and those below it.',
    input: v.strictObject({}),
    output: v.array(ProviderSchema),
    gate: 'monitoring.licensing',
    failures: [],
  }),
  createProvider: call({
    method: 'POST',
    path: 'service-providers',
    summary: 'Makes a provider below the own one; its first administrator is invited by mail.',
    input: v.strictObject({
      name: text,
      hosts: v.pipe(v.array(host), v.minLength(1), v.maxLength(20)),
      administrator: v.strictObject({ username, name: text, email }),
    }),
    output: ProviderSchema,
    gate: 'admin.dashboard',
    failures: ['conflict', 'reauth_required'],
  }),
  setHosts: call({
    method: 'PUT',
    path: 'service-providers/{id}/hosts',
    summary:
      'The host names of a provider: each leads to one provider only. Those of one below are set by who is above.',
    input: v.strictObject({ id: anyId, hosts: v.pipe(v.array(host), v.maxLength(20)) }),
    output: ProviderSchema,
    gate: 'admin.dashboard',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  inviteUser: call({
    method: 'POST',
    path: 'service-providers/{id}/invitations',
    summary:
      'A link with which one user registers, for seven days. Without an address it is only shown.',
    input: v.strictObject({ id: anyId, email: v.optional(v.nullable(email), null) }),
    output: v.object({ url: v.string(), until: v.number() }),
    gate: 'signed-in',
    failures: ['not-found', 'forbidden', 'too-many'],
  }),
  acceptInvitation: call({
    method: 'POST',
    path: 'auth/invitation',
    summary: 'Registers with the token of an invitation.',
    input: v.strictObject({
      token: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
      username,
      name: text,
      email: v.optional(email),
      password: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars)),
    }),
    output: v.object({ username: v.string() }),
    gate: 'public',
    failures: ['not-found', 'conflict'],
  }),
  chatToken: call({
    method: 'POST',
    path: 'service-providers/hs-token',
    summary:
      'A signed token for the chat of the own portal, for five minutes: who one is, and nobody else.',
    input: v.strictObject({ name: text, email, serviceProviderId: anyId }),
    output: v.object({ token: v.string(), until: v.number() }),
    gate: 'signed-in',
    failures: ['forbidden'],
  }),
  validateVacId: call({
    method: 'GET',
    path: 'service-providers/validate-vacid/{id}',
    summary:
      'Whether a company that one sees is linked with this number of Veeam Service Provider Console.',
    input: v.strictObject({ id: v.pipe(v.string(), v.maxLength(LIMITS.nameChars)) }),
    output: v.object({ valid: v.boolean() }),
    gate: 'signed-in',
    failures: [],
  }),
  ipLocation: call({
    method: 'GET',
    path: 'app/get_ip_location',
    summary:
      'The country of the caller: null, as nothing here knows it. None is looked up or guessed.',
    input: v.strictObject({}),
    output: v.object({ country: v.nullable(v.string()) }),
    gate: 'public',
    failures: [],
  }),
} as const;
