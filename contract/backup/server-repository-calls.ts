import * as v from 'valibot';
import { call } from '../call.ts';
import { anyOrganizationId, anyRepositoryId } from '../paging.ts';
import { RetentionTypeSchema } from './retention.ts';
import {
  CleanUpScheduleSchema,
  SERVER_REPOSITORY_FIELDS,
  ServerIdSchema,
  ServerPathSchema,
  ServerRetentionSchema,
} from './server-repositories.ts';
import { idOut } from './suite-schema.ts';

const gate = 'o365.repositories';
const named = { id: v.string(), name: v.string() };

/** Repositories of organizations whose Veeam server has them. */
export const serverRepositoryCalls = {
  getServerStorage: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/server-storage',
    summary:
      'Reads from the Veeam server of an organization what a repository can use: its proxies, its object storage (version 7), and its repositories that the organization doesn’t use yet.',
    input: v.strictObject({ organizationId: anyOrganizationId }),
    output: v.object({
      version: v.picklist(['v7', 'v8']),
      proxies: v.array(
        v.object({
          ...named,
          pool: v.nullable(v.string()),
          isOnline: v.boolean(),
          hasFolders: v.boolean(),
        }),
      ),
      objectStorages: v.array(v.object(named)),
      repositories: v.array(v.object({ ...named, path: v.string() })),
    }),
    isSlow: true,
    gate,
    failures: ['not-found', 'forbidden', 'conflict', 'busy'],
  }),
  createServerRepository: call({
    method: 'POST',
    path: 'o365/organizations/{organizationId}/server-repositories',
    summary:
      'Creates a repository on the Veeam server of an organization, in a folder of a proxy. `objectStorageId`: extends it with an object storage of the server (version 7).',
    input: v.strictObject({
      organizationId: anyOrganizationId,
      ...SERVER_REPOSITORY_FIELDS,
      description: v.optional(SERVER_REPOSITORY_FIELDS.description, ''),
      retentionType: RetentionTypeSchema,
      proxyId: ServerIdSchema,
      path: ServerPathSchema,
      objectStorageId: v.optional(v.nullable(ServerIdSchema), null),
    }),
    output: idOut,
    isSlow: true,
    gate,
    failures: [
      'bad-input',
      'not-found',
      'forbidden',
      'conflict',
      'busy',
      'key-reused',
      'out-of-order',
    ],
  }),
  addServerRepository: call({
    method: 'POST',
    path: 'o365/organizations/{organizationId}/server-repositories/{key}',
    summary:
      'Lists a repository of the Veeam server among those of an organization, so that its jobs can use it. The server doesn’t change.',
    input: v.strictObject({ organizationId: anyOrganizationId, key: ServerIdSchema }),
    output: idOut,
    isSlow: true,
    gate,
    failures: ['not-found', 'forbidden', 'conflict', 'busy', 'key-reused', 'out-of-order'],
  }),
  getServerRepository: call({
    method: 'GET',
    path: 'o365/repositories/{id}/server-settings',
    summary:
      'Reads the settings of a repository from its Veeam server. `version` changes with them. `cleanUp` null: the server names no times.',
    input: v.strictObject({ id: anyRepositoryId }),
    output: v.object({
      version: v.string(),
      repository: v.string(),
      description: v.string(),
      path: v.string(),
      proxy: v.nullable(v.string()),
      pool: v.nullable(v.string()),
      objectStorage: v.nullable(v.string()),
      retentionType: RetentionTypeSchema,
      retention: ServerRetentionSchema,
      cleanUp: v.nullable(CleanUpScheduleSchema),
      shortened: v.nullable(v.object({ retention: ServerRetentionSchema, appliesAt: v.number() })),
    }),
    isSlow: true,
    gate,
    failures: ['not-found', 'forbidden', 'conflict', 'busy'],
  }),
  updateServerRepository: call({
    method: 'PATCH',
    path: 'o365/repositories/{id}/server-settings',
    summary:
      'Changes a repository on its Veeam server, if its settings there still have this version. A shorter retention applies after seven days, and needs a recent sign-in. `shortened` null: it isn’t shortened after all.',
    input: v.strictObject({
      id: anyRepositoryId,
      version: v.optional(v.pipe(v.string(), v.maxLength(100))),
      ...v.partial(v.strictObject({ ...SERVER_REPOSITORY_FIELDS, shortened: v.null() })).entries,
    }),
    output: v.object({}),
    isSlow: true,
    gate,
    failures: [
      'bad-input',
      'not-found',
      'forbidden',
      'conflict',
      'busy',
      'reauth_required',
      'key-reused',
      'out-of-order',
    ],
  }),
} as const;
