import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import type { UserId } from '../ids.ts';
import { ABILITIES } from '../abilities.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyApiKeyId, anyUserId } from '../paging.ts';

const id = uuidSchema<UserId>();
const AbilitySchema = v.picklist(ABILITIES);

/**
 * An API key as the API returns it. `abilities` are those granted to the key; it can use only those
 * that its user still has. `hint` is the last four characters. Times are in ms. `usedOn` is the UTC
 * day of its last call and `usedFrom` the network of that call; null if it was never used.
 */
export const ApiKeySchema = v.object({
  id: v.string(),
  name: v.string(),
  abilities: v.array(AbilitySchema),
  hint: v.string(),
  madeAt: v.number(),
  until: v.number(),
  usedOn: v.nullable(v.string()),
  usedFrom: v.nullable(v.string()),
});
export type ApiKey = v.InferOutput<typeof ApiKeySchema>;

/**
 * `max`: the maximum number of keys per user; `most` is its former name, until the next version.
 * `abilities`: those of the user's abilities that at least one API call needs.
 */
export const ApiKeysSchema = v.object({
  keys: v.array(ApiKeySchema),
  max: v.number(),
  most: v.number(),
  abilities: v.array(AbilitySchema),
});
export type ApiKeys = v.InferOutput<typeof ApiKeysSchema>;

/** `secret` is in this response only. */
export const MadeApiKeySchema = v.object({ key: ApiKeySchema, secret: v.string() });
export type MadeApiKey = v.InferOutput<typeof MadeApiKeySchema>;

const fields = {
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1),
    v.maxLength(LIMITS.nameChars),
    v.regex(/^\P{Cc}+$/u, 'text on one line'),
  ),
  abilities: v.pipe(v.array(AbilitySchema), v.minLength(1), v.maxLength(ABILITIES.length)),
  /** Expiration time, ms. */
  until: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
};

/**
 * API keys: those of the signed-in user, and those of users whom an administrator manages. A key
 * can make none of these calls except the one that describes itself.
 */
export const apiKeyCalls = {
  readOwnApiKey: call({
    method: 'GET',
    path: 'api-key',
    summary:
      'Returns what the calling API key can do at this moment, and when it expires. `companies` null: all companies of the provider.',
    input: v.strictObject({}),
    output: v.object({
      id: v.string(),
      name: v.string(),
      userId: v.string(),
      abilities: v.array(AbilitySchema),
      companies: v.nullable(v.array(v.number())),
      until: v.number(),
    }),
    gate: 'signed-in',
    failures: ['not-found'],
    apiKeyAllowed: 'any',
  }),
  listApiKeys: call({
    method: 'GET',
    path: 'profile/{id}/api-keys',
    summary: "Lists the user's API keys, newest first.",
    input: v.strictObject({ id }),
    output: ApiKeysSchema,
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  createApiKey: call({
    method: 'POST',
    path: 'profile/{id}/api-keys',
    summary: 'Creates an API key. Its secret is in this response only.',
    input: v.strictObject({ id, ...fields }),
    output: MadeApiKeySchema,
    gate: 'signed-in',
    failures: ['not-found', 'bad-input', 'conflict'],
  }),
  revokeApiKey: call({
    method: 'DELETE',
    path: 'profile/{id}/api-keys/{key}',
    summary: 'Revokes an API key immediately.',
    input: v.strictObject({ id, key: anyApiKeyId }),
    output: v.object({}),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  listUserApiKeys: call({
    method: 'GET',
    path: 'users/{id}/api-keys',
    summary: 'Lists the API keys of a user whom the caller manages, newest first.',
    input: v.strictObject({ id: anyUserId }),
    output: v.array(ApiKeySchema),
    gate: 'monitoring.users',
    failures: ['not-found', 'forbidden'],
    apiKeyAllowed: false,
  }),
  revokeUserApiKey: call({
    method: 'DELETE',
    path: 'users/{id}/api-keys/{key}',
    summary: 'Revokes an API key of a user immediately. The user is notified by email.',
    input: v.strictObject({ id: anyUserId, key: anyApiKeyId }),
    output: v.object({}),
    gate: 'monitoring.users',
    failures: ['not-found', 'forbidden'],
  }),
} as const;
