import * as v from 'valibot';

// What is read of the rows of the REST API, in versions 7 and 8.

const text = v.optional(v.nullable(v.string()));
const count = v.optional(v.nullable(v.number()));
const flag = v.optional(v.nullable(v.boolean()));
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(100));

export const OrganizationShape = v.object({
  id,
  /** Its domain at Microsoft. */
  name: text,
  officeName: text,
  region: text,
  /** The tenant's id at Microsoft. */
  msid: text,
});
export type Vb365Organization = v.InferOutput<typeof OrganizationShape>;

export const JobShape = v.object({
  id,
  name: text,
  /** Version 7 has the jobs below their organization. */
  organizationId: text,
  repositoryId: text,
  schedulePolicy: v.optional(
    v.nullable(
      v.object({ scheduleEnabled: flag, type: text, periodicallyEvery: text, dailyType: text }),
    ),
  ),
  lastRun: text,
  isEnabled: flag,
  lastStatus: text,
});
export type Vb365Job = v.InferOutput<typeof JobShape>;

export const SessionShape = v.object({
  id,
  /** Version 7 only finds the sessions of a job. */
  jobId: text,
  details: text,
  creationTime: text,
  endTime: text,
  status: text,
  jobSessionConfigType: text,
  retryCount: count,
  statistics: v.optional(
    v.nullable(
      v.object({ transferredDataBytes: count, processedObjects: count, bottleneck: text }),
    ),
  ),
});
export type Vb365Session = v.InferOutput<typeof SessionShape>;

/** Version 7 has a `title` only. */
export const LogItemShape = v.object({
  id,
  type: text,
  message: text,
  title: text,
  creationTime: text,
});
export type Vb365LogItem = v.InferOutput<typeof LogItemShape>;

export const RepositoryShape = v.object({
  id,
  name: text,
  path: text,
  capacityBytes: count,
  freeSpaceBytes: count,
  proxyId: text,
  organizationId: text,
});

export const ProxyShape = v.object({ id, hostName: text });

export const LicenseShape = v.object({
  status: text,
  type: text,
  package: text,
  licenseExpires: text,
  totalNumber: count,
  usedNumber: count,
  newNumber: count,
});
