import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyTenantId } from '../paging.ts';
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
const invitationToken = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

/**
 * `master`: the provider above; null if there is none. `own`: whether it is the caller's own
 * provider.
 */
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
    summary: "Lists the caller's own provider and those below it.",
    input: v.strictObject({}),
    output: v.array(ProviderSchema),
    gate: 'monitoring.licensing',
    failures: [],
  }),
  createProvider: call({
    method: 'POST',
    path: 'service-providers',
    summary:
      "Creates a provider below the caller's own and invites its first administrator by email.",
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
      'Sets the host names of a provider; each host leads to one provider only. The provider above sets those of a provider below.',
    input: v.strictObject({ id: anyTenantId, hosts: v.pipe(v.array(host), v.maxLength(20)) }),
    output: ProviderSchema,
    gate: 'admin.dashboard',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  inviteUser: call({
    method: 'POST',
    path: 'service-providers/{id}/invitations',
    summary:
      'Creates a link with which one user can register within seven days. Without an address the link is only returned, not emailed.',
    input: v.strictObject({ id: anyTenantId, email: v.optional(v.nullable(email), null) }),
    output: v.object({ url: v.string(), until: v.number() }),
    gate: 'signed-in',
    failures: ['not-found', 'forbidden', 'too-many'],
  }),
  checkInvitation: call({
    method: 'POST',
    path: 'auth/invitation/check',
    summary:
      'Checks whether a user can register with the token of an invitation. It stays valid, and the call returns nothing about it.',
    input: v.strictObject({ token: invitationToken }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found', 'too-many'],
  }),
  acceptInvitation: call({
    method: 'POST',
    path: 'auth/invitation',
    summary: 'Registers a user with the token of an invitation.',
    input: v.strictObject({
      token: invitationToken,
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
      "Returns a signed token for the portal's chat, valid for five minutes. It identifies the caller only.",
    input: v.strictObject({ name: text, email, serviceProviderId: anyTenantId }),
    output: v.object({ token: v.string(), until: v.number() }),
    gate: 'signed-in',
    failures: ['forbidden'],
  }),
  validateVacId: call({
    method: 'GET',
    path: 'service-providers/validate-vacid/{id}',
    summary:
      'Checks whether a company that the caller can see is linked to this ID in Veeam Service Provider Console.',
    input: v.strictObject({ id: v.pipe(v.string(), v.maxLength(LIMITS.nameChars)) }),
    output: v.object({ valid: v.boolean() }),
    gate: 'signed-in',
    failures: [],
  }),
  ipLocation: call({
    method: 'GET',
    path: 'app/get_ip_location',
    summary:
      "Returns the caller's country, which is always null: the portal doesn't look up or guess it.",
    input: v.strictObject({}),
    output: v.object({ country: v.nullable(v.string()) }),
    gate: 'public',
    failures: [],
  }),
} as const;
