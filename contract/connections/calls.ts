import * as v from 'valibot';
import { call } from '../call.ts';
import { renameKind, withFormerNames } from '../former-fields.ts';
import { LIMITS } from '../limits.ts';
import { COLLECTOR_KINDS, ENTITIES, JOB_ACTIONS, SIGN_INS } from './connection.ts';
import { shownCertificate } from '../shown-certificate.ts';
import { nameText } from '../text-schema.ts';

const uuid = v.pipe(v.string(), v.uuid());
const secret = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.secretChars));
const companyN = v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1)));

const CurrentCredentialsSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('key'), secret }),
  v.strictObject({ kind: v.literal('password'), name: nameText(), secret }),
  v.strictObject({ kind: v.literal('client'), name: nameText(), secret }),
]);
export const CredentialsSchema = withFormerNames(CurrentCredentialsSchema, renameKind);
export type Credentials = v.InferOutput<typeof CredentialsSchema>;

const fields = {
  name: nameText(),
  /** `https://host:port`. */
  address: v.pipe(v.string(), v.trim(), v.url(), v.maxLength(LIMITS.addressChars)),
  /** The company that the results belong to; null if the system reports for many companies. */
  companyN,
  everySec: v.pipe(v.number(), v.safeInteger(), v.minValue(60), v.maxValue(86_400)),
  enabled: v.boolean(),
  /**
   * PEM of the pinned certificate, for a system whose certificate isn't signed by a public
   * authority.
   */
  certificate: v.nullable(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.certificateChars))),
};
const kind = v.picklist(COLLECTOR_KINDS);
const counted = v.object({ linked: v.number(), unlinked: v.number() });

const collectionOut = v.object({
  entity: v.picklist(ENTITIES),
  status: v.picklist(['waiting', 'running', 'succeeded', 'failed']),
  startedAt: v.nullable(v.number()),
  succeededAt: v.nullable(v.number()),
  nextAt: v.nullable(v.number()),
  /** Rows read in the last complete sync, and how many of them belong to no company here. */
  rows: v.number(),
  unlinked: v.number(),
  fails: v.number(),
  error: v.nullable(v.string()),
});
export type CollectionOut = v.InferOutput<typeof collectionOut>;

const connectionOut = v.object({
  _id: v.string(),
  kind,
  name: v.string(),
  address: v.string(),
  companyN: v.nullable(v.number()),
  everySec: v.number(),
  enabled: v.boolean(),
  certificate: v.nullable(v.string()),
  signIn: v.picklist(SIGN_INS),
  user: v.nullable(v.string()),
  madeAt: v.number(),
  collections: v.array(collectionOut),
  companies: counted,
  alarms: v.number(),
});
export type ConnectionOut = v.InferOutput<typeof connectionOut>;

const tested = v.object({
  ok: v.boolean(),
  message: v.string(),
  /**
   * The certificate that the system presented, if it isn't trusted, so that a person can compare
   * and pin it.
   */
  seen: v.nullable(shownCertificate),
});
export type ConnectionTested = v.InferOutput<typeof tested>;

const found = v.object({
  uid: v.string(),
  name: v.string(),
  companyN: v.nullable(v.number()),
  detail: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()])),
  seenAt: v.number(),
});
export type FoundEntities = v.InferOutput<typeof found>;

const gate = 'monitoring.sources';

export const collectorCalls = {
  listConnections: call({
    method: 'GET',
    path: 'monitoring/connections',
    summary: 'Lists the connections, and when each of their entities was last synced.',
    input: v.strictObject({}),
    output: v.array(connectionOut),
    gate,
    failures: [],
  }),
  createConnection: call({
    method: 'POST',
    path: 'monitoring/connections',
    summary: 'Creates a connection. Its credentials are stored encrypted and never returned.',
    input: v.strictObject({ kind, ...fields, credentials: CredentialsSchema }),
    output: v.object({ _id: v.string() }),
    gate,
    failures: ['bad-input', 'conflict', 'forbidden', 'not-found'],
  }),
  editConnection: call({
    method: 'PUT',
    path: 'monitoring/connections/{id}',
    summary:
      'Changes a connection. Without `credentials` the stored ones stay, unless the address changes: then they must be sent again.',
    input: v.strictObject({ id: uuid, ...fields, credentials: v.optional(CredentialsSchema) }),
    output: v.object({}),
    gate,
    failures: ['bad-input', 'conflict', 'forbidden', 'not-found'],
  }),
  deleteConnection: call({
    method: 'DELETE',
    path: 'monitoring/connections/{id}',
    summary: 'Deletes a connection and its credentials. The results that it collected stay.',
    input: v.strictObject({ id: uuid }),
    output: v.object({}),
    gate,
    failures: ['not-found'],
  }),
  testConnection: call({
    method: 'POST',
    path: 'monitoring/connections/test',
    summary:
      'Tests a connection by signing in and sending one request, and stores nothing. With `id` and without credentials it uses the stored ones, at the stored address only.',
    input: v.strictObject({
      id: v.optional(uuid),
      kind,
      address: fields.address,
      certificate: fields.certificate,
      credentials: v.optional(CredentialsSchema),
    }),
    output: tested,
    gate,
    failures: ['bad-input', 'not-found', 'too-many'],
  }),
  syncConnection: call({
    method: 'POST',
    path: 'monitoring/connections/{id}/sync',
    summary: 'Starts a sync of all entities, or of one.',
    input: v.strictObject({ id: uuid, entity: v.optional(v.picklist(ENTITIES)) }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'conflict', 'too-many'],
  }),
  commandServerJob: call({
    method: 'POST',
    path: 'monitoring/connections/{id}/jobs/{job}/{action}',
    summary:
      'Starts or stops a job on a server of Veeam Backup for Microsoft 365, or switches its schedule on or off.',
    input: v.strictObject({
      id: uuid,
      job: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
      action: v.picklist(JOB_ACTIONS),
    }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'conflict', 'busy', 'too-many'],
  }),
  listConnectionEntities: call({
    method: 'GET',
    path: 'monitoring/connections/{id}/found',
    summary:
      'Lists what a connection has found of an entity, by name. `unlinked=true`: only rows that belong to no company here.',
    input: v.strictObject({
      id: uuid,
      entity: v.picklist([
        'companies',
        'organizations',
        'jobs',
        'servers',
        'agents',
        'alarms',
        'licences',
      ]),
      unlinked: v.optional(v.picklist(['true', 'false'])),
      after: v.optional(v.pipe(v.string(), v.regex(/^\d{1,7}$/), v.transform(Number))),
    }),
    output: v.object({ rows: v.array(found), total: v.number() }),
    gate,
    failures: ['not-found'],
  }),
} as const;
