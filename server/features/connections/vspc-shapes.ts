import * as v from 'valibot';

/**
 * The schemas for Veeam Service Provider Console's REST API v3 (3.6 and later), with the used
 * fields only. Additional fields are ignored, and missing ones are unknown. Enumerations are read
 * as strings, because newer versions add values.
 */
const text = v.optional(v.nullable(v.string()));
const count = v.optional(v.nullable(v.number()));
const flag = v.optional(v.nullable(v.boolean()));
const list = <S extends v.GenericSchema>(row: S) =>
  v.object({
    meta: v.optional(
      v.nullable(
        v.object({
          pagingInfo: v.optional(v.nullable(v.object({ total: count, count, offset: count }))),
        }),
      ),
    ),
    data: v.array(row),
  });

export const CompanyList = list(v.object({ instanceUid: v.string(), name: text, status: text }));
export const ServerList = list(
  v.object({
    instanceUid: v.string(),
    name: text,
    organizationUid: text,
    managementAgentUid: text,
    version: text,
    status: text,
  }),
);
export const ManagementAgentList = list(
  v.object({
    instanceUid: v.string(),
    organizationUid: text,
    hostName: text,
    status: text,
    version: text,
  }),
);
export const AgentList = list(
  v.object({
    instanceUid: v.string(),
    name: text,
    managementAgentUid: text,
    organizationUid: text,
    managementMode: text,
    operationMode: text,
    status: text,
    agentPlatform: text,
    version: text,
  }),
);

const Days = v.optional(v.nullable(v.array(v.string())));
export const ScheduleShape = v.object({
  startDateTime: text,
  dailyScheduleOptions: v.optional(
    v.nullable(v.object({ kind: text, days: Days, time: text, timeUtc: text })),
  ),
  periodicallyScheduleOptions: v.optional(v.nullable(v.object({ kind: text, fullPeriod: count }))),
});
const TaskShape = v.object({
  objectName: text,
  status: text,
  startTime: text,
  duration: count,
  transferredDataSize: count,
  readDataSize: count,
  failureMessages: v.optional(v.nullable(v.array(v.string()))),
});
export const ServerJobList = list(
  v.object({
    instanceUid: v.string(),
    uniqueUid: text,
    name: text,
    organizationUid: text,
    mappedOrganizationUid: text,
    backupServerUid: text,
    status: text,
    type: text,
    isEnabled: flag,
    lastRun: text,
    lastEndTime: text,
    lastDuration: count,
    transferredData: count,
    backupChainSize: count,
    bottleneck: text,
    scheduleType: text,
    schedule: v.optional(v.nullable(ScheduleShape)),
    failureMessage: text,
    destination: text,
    targetType: text,
    lastSessionTasks: v.optional(v.nullable(v.array(TaskShape))),
  }),
);
export type VspcServerJob = v.InferOutput<typeof ServerJobList>['data'][number];

export const AgentJobList = list(
  v.object({
    instanceUid: v.string(),
    name: text,
    backupAgentUid: text,
    organizationUid: text,
    systemType: text,
    operationMode: text,
    destination: text,
    targetType: text,
    backupMode: text,
    restorePoints: count,
    lastRun: text,
    lastEndTime: text,
    lastDuration: count,
    nextRun: text,
    isEnabled: flag,
    scheduleType: text,
    failureMessage: text,
    backedUpSize: count,
    status: text,
  }),
);
export type AgentJob = v.InferOutput<typeof AgentJobList>['data'][number];

export const Office365JobList = list(
  v.object({
    instanceUid: v.string(),
    name: text,
    jobType: text,
    repositoryName: text,
    vspcOrganizationUid: text,
    vb365ServerName: text,
    managementAgentUid: text,
    lastRun: text,
    nextRun: text,
    isEnabled: flag,
    lastStatus: text,
    lastStatusDetails: text,
  }),
);
export type Office365Job = v.InferOutput<typeof Office365JobList>['data'][number];

/** The history is not paged; it is grouped by day. */
export const Heatmap = v.object({
  data: v.object({
    dataPerDays: v.optional(
      v.nullable(
        v.array(
          v.object({
            date: text,
            sessions: v.optional(
              v.nullable(
                v.array(
                  v.object({
                    sessionUid: text,
                    jobName: text,
                    serverName: text,
                    managementAgentUid: text,
                    organizationUid: text,
                    startTime: text,
                    endTime: text,
                    duration: count,
                    result: text,
                    failureMessage: text,
                    jobType: text,
                    workloadType: text,
                    platformType: text,
                  }),
                ),
              ),
            ),
          }),
        ),
      ),
    ),
  }),
});
export type HeatmapSession = NonNullable<
  NonNullable<
    NonNullable<v.InferOutput<typeof Heatmap>['data']['dataPerDays']>[number]['sessions']
  >[number]
>;

export const RepositoryList = list(
  v.object({
    instanceUid: v.string(),
    name: text,
    backupServerUid: text,
    _embedded: v.optional(
      v.nullable(
        v.object({
          backupRepositoryInfo: v.optional(v.nullable(v.unknown())),
          capacity: count,
          isCapacityAvailable: flag,
          freeSpace: count,
          isFreeSpaceAvailable: flag,
          usedSpace: count,
          isUsedSpaceAvailable: flag,
          type: text,
          path: text,
          hostName: text,
          status: text,
        }),
      ),
    ),
  }),
);

export const DiscoveredList = list(
  v.object({
    instanceUid: v.string(),
    managementAgentUid: text,
    organizationUid: text,
    status: text,
    backupAgentInstallationStatus: text,
    backupAgentManagementStatus: text,
    info: v.optional(
      v.nullable(
        v.object({
          hostName: text,
          fqdn: text,
          guestOs: text,
          guestOsType: text,
          ipAddresses: v.optional(v.nullable(v.array(v.string()))),
        }),
      ),
    ),
  }),
);

export const AlarmList = list(
  v.object({
    instanceUid: v.string(),
    repeatCount: count,
    area: text,
    object: v.optional(
      v.nullable(
        v.object({ type: text, organizationUid: text, computerName: text, objectName: text }),
      ),
    ),
    lastActivation: v.optional(
      v.nullable(v.object({ time: text, status: text, message: text, remark: text })),
    ),
  }),
);

export const LicenceList = list(
  v.object({
    organizationUid: text,
    organizationType: text,
    servers: v.optional(
      v.nullable(
        v.array(
          v.object({
            serverUid: text,
            serverType: text,
            workloads: v.optional(
              v.nullable(
                v.array(
                  v.object({
                    description: text,
                    unitType: text,
                    rentalUnits: count,
                    newUnits: count,
                    usedUnits: count,
                    rentalCount: count,
                    newCount: count,
                    usedCount: count,
                  }),
                ),
              ),
            ),
          }),
        ),
      ),
    ),
  }),
);
