import * as v from 'valibot';
import { call } from '../call.ts';
import { anyId, anyOrganizationId } from '../paging.ts';
import { nameText } from '../text-schema.ts';
import { companyRef, listPageSchema } from './suite-schema.ts';

/** What a proxy does for a repository. */
export const PROXY_WORK = [
  'backup',
  'restore',
  'clean-up',
  'verification',
  'attachment',
  'deletion',
] as const;

/**
 * `hostName` and `version`: null for users who don't see all companies. `state`: draining takes no more
 * work. `lastSeenAt` null: it is a server. `serverVersion`: to compare with. `work`: what it does for
 * organizations that the user sees.
 */
const proxyOut = v.object({
  _id: v.string(),
  id: v.string(),
  name: v.string(),
  pool: v.nullable(v.string()),
  maintenance: v.boolean(),
  hostName: v.nullable(v.string()),
  version: v.nullable(v.string()),
  isServer: v.boolean(),
  state: v.picklist(['online', 'draining', 'offline']),
  lastSeenAt: v.nullable(v.number()),
  serverVersion: v.string(),
  hasFolder: v.boolean(),
  work: v.array(
    v.object({
      kind: v.picklist(PROXY_WORK),
      organizationName: v.string(),
      repositoryName: v.string(),
      since: v.number(),
    }),
  ),
});
const poolOut = v.object({ id: v.string(), name: v.string(), proxies: v.number() });

const gate = 'o365.repositories';

export const backupProxyCalls = {
  listProxies: call({
    method: 'GET',
    path: 'o365/proxies',
    summary: 'Lists the proxies by name, with what they do now.',
    input: v.strictObject({ organizationId: v.optional(anyOrganizationId) }),
    output: listPageSchema(proxyOut),
    gate,
    failures: ['not-found'],
  }),
  updateProxy: call({
    method: 'PATCH',
    path: 'o365/proxies/{id}',
    summary:
      'Puts a proxy into a pool, or into maintenance: it takes no more work of the provider and ends what it does.',
    input: v.strictObject({
      id: anyId,
      pool: v.optional(v.nullable(nameText())),
      maintenance: v.optional(v.boolean()),
    }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'forbidden', 'key-reused', 'out-of-order'],
  }),
  deleteProxy: call({
    method: 'DELETE',
    path: 'o365/proxies/{id}',
    summary: 'Removes a proxy that is offline, unless a repository or a backup job names it.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'forbidden', 'conflict', 'key-reused', 'out-of-order'],
  }),
  listPools: call({
    method: 'GET',
    path: 'o365/proxies/proxypools',
    summary: 'Lists the pools of proxies by name.',
    input: v.strictObject({ companyId: v.optional(companyRef) }),
    output: listPageSchema(poolOut),
    gate,
    failures: [],
  }),
} as const;
