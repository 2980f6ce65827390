import * as v from 'valibot';
import { ABILITIES } from '../abilities.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyId } from '../paging.ts';

const id = v.pipe(v.string(), v.uuid());
const AbilitySchema = v.picklist(ABILITIES);

/**
 * An API key as it is shown. `abilities`: what it was given; what it may do is what of that its
 * user still has. `hint`: its last four signs. Times are ms; `usedOn` is the UTC day of its last
 * call and `usedFrom` the network of it, null where there was none.
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
 * `most`: so many a user has. `abilities`: those of the user that some call of the API asks for.
 */
export const ApiKeysSchema = v.object({
  keys: v.array(ApiKeySchema),
  most: v.number(),
  abilities: v.array(AbilitySchema),
});
export type ApiKeys = v.InferOutput<typeof ApiKeysSchema>;

/** `secret` is told here and never again. */
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
  /** When it ends, ms. */
  until: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
};

/**
 * API keys: everybody's own, and those of the users that an administrator keeps. A key makes none
 * of these calls but the one that tells of itself.
 */
export const apiKeyCalls = {
  readOwnApiKey: call({
    method: 'GET',
    path: 'api-key',
    summary:
      'What the API key that asks may do at this moment, and until when. `companies` null: all of the provider.',
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
    summary: 'The API keys of this user, the latest first.',
    input: v.strictObject({ id }),
    output: ApiKeysSchema,
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  makeApiKey: call({
    method: 'POST',
    path: 'profile/{id}/api-keys',
    summary: 'Makes an API key. Its secret stands in this answer and nowhere else.',
    input: v.strictObject({ id, ...fields }),
    output: MadeApiKeySchema,
    gate: 'signed-in',
    failures: ['not-found', 'bad-input', 'conflict'],
  }),
  revokeApiKey: call({
    method: 'DELETE',
    path: 'profile/{id}/api-keys/{key}',
    summary: 'Ends an API key at once.',
    input: v.strictObject({ id, key: anyId }),
    output: v.object({}),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  listUserApiKeys: call({
    method: 'GET',
    path: 'users/{id}/api-keys',
    summary: 'The API keys of a user that one keeps, the latest first.',
    input: v.strictObject({ id: anyId }),
    output: v.array(ApiKeySchema),
    gate: 'monitoring.users',
    failures: ['not-found', 'forbidden'],
    apiKeyAllowed: false,
  }),
  revokeUserApiKey: call({
    method: 'DELETE',
    path: 'users/{id}/api-keys/{key}',
    summary: 'Ends an API key of a user that one keeps, at once. The user is told by mail.',
    input: v.strictObject({ id: anyId, key: anyId }),
    output: v.object({}),
    gate: 'monitoring.users',
    failures: ['not-found', 'forbidden'],
  }),
} as const;
