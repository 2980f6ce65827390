import * as v from 'valibot';

// The published schema of Veeam Service Provider Console's REST v3 (3.6), as far as the stand-in tells it: written apart from what the collector
// reads, field by field with the names, forms and words of the reference. A field that is not of the schema fails.

const uid = v.nullable(v.pipe(v.string(), v.uuid()));
const text = v.nullable(v.string());
const int = v.nullable(v.pipe(v.number(), v.integer()));
const flag = v.boolean();
/** Date and time with up to seven digits and a zone. */
const time = v.nullable(v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}[+-]\d\d:\d\d$/)));
const oneOf = <const W extends readonly string[]>(...words: W) => v.nullable(v.picklist(words));
const some = <E extends v.ObjectEntries>(entries: E) => v.partial(v.strictObject(entries));

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const JOB_STATUS = ['Success', 'Warning', 'Failed', 'Running', 'Idle', 'None', 'Starting', 'Stopping', 'Enabling', 'Disabling', 'WaitingRepository', 'WaitingTape', 'Unknown'] as const;
const JOB_TYPES = [
  'BackupVm', 'AgentBackupJob', 'AgentPolicy', 'BackupCopy', 'SimpleBackupCopy', 'ReplicationVM', 'CdpReplicationVM', 'BackupFile', 'BackupFileCopy', 'CopyFile', 'CopyVm', 'BackupToTape', 'FileToTape', 'ObjectStorageBackup',
  'ObjectStorageBackupCopy', 'SqlLogBackup', 'OracleLogBackup', 'PostgreSqlLogBackup', 'SureBackup', 'AwsBackupJob', 'AzureBackupJob', 'GoogleBackupJob', 'AhvStorageSnapshotJob', 'SobrMaintenance', 'Unknown',
] as const;

const ROWS = {
  'organizations/companies': some({ instanceUid: uid, name: text, status: oneOf('Active', 'Disabled', 'Expired', 'Deleted', 'Unknown'), ownerCredentials: some({ userName: text }), isRestAccessEnabled: flag, isAlarmDetectEnabled: flag }),
  'infrastructure/backupServers': some({
    instanceUid: uid, name: text, organizationUid: uid, locationUid: uid, managementAgentUid: uid, version: text, displayVersion: text, installationUid: text,
    backupServerRoleType: oneOf('Client', 'CloudConnect', 'Hosted', 'Unknown'), status: oneOf('Healthy', 'Warning', 'Error', 'Unknown'),
  }),
  'infrastructure/managementAgents': some({ instanceUid: uid, organizationUid: uid, hostName: text, status: oneOf('Healthy', 'Inaccessible', 'Unknown'), version: text }),
  'infrastructure/backupAgents': some({
    instanceUid: uid, name: text, managementAgentUid: uid, organizationUid: uid, agentPlatform: oneOf('Windows', 'Linux', 'Mac', 'Unknown'), status: oneOf('Active', 'NotRunning', 'Unknown'),
    managementMode: oneOf('ManagedByConsole', 'ManagedByVBR', 'UnManaged', 'Unknown'), operationMode: oneOf('Server', 'Workstation', 'UnLicensed', 'Unknown'), platform: oneOf('Physical', 'Virtual', 'Cloud', 'Unknown'), version: text,
    totalJobsCount: int, runningJobsCount: int, successJobsCount: int,
  }),
  'infrastructure/backupServers/jobs': some({
    instanceUid: uid, uniqueUid: uid, name: text, description: text, createdBy: text, creationTime: time, backupServerUid: uid, locationUid: uid, siteUid: uid, organizationUid: uid, mappedOrganizationUid: uid,
    status: v.picklist(JOB_STATUS), type: v.picklist(JOB_TYPES), lastRun: time, lastEndTime: time, lastDuration: int, processingRate: v.nullable(v.number()), avgDuration: int, transferredData: int, backupChainSize: int,
    bottleneck: oneOf('Source', 'Proxy', 'Network', 'Target', 'SourceWanAccelerator', 'TargetWanAccelerator', 'None', 'Unknown'), isEnabled: flag,
    scheduleType: oneOf('Daily', 'Monthly', 'Periodically', 'Continuously', 'Chained', 'BackupWindow', 'NotScheduled', 'Unknown'),
    schedule: v.nullable(some({
      startDateTime: text, startDateTimeUtc: time, dailyScheduleOptions: v.nullable(some({ kind: oneOf('Everyday', 'SelectedDays', 'WeekDays', 'Unknown'), days: v.nullable(v.array(v.picklist(days))), time: text, timeUtc: text })),
      periodicallyScheduleOptions: v.nullable(some({ kind: oneOf('Days', 'Hours', 'Minutes', 'Seconds', 'Unknown'), fullPeriod: int })), chainingOptions: v.nullable(some({ previousJobId: uid, previousJobName: text })), continuousScheduleEnabled: flag,
    })),
    failureMessage: text, targetType: oneOf('Cloud', 'Local', 'None', 'Unknown'), destination: text, retentionLimit: int, retentionLimitType: oneOf('Days', 'RestorePoints', 'None'), isGfsOptionEnabled: flag,
    lastSessionTasks: v.array(some({
      objectUid: uid, objectName: text, totalObjects: int, processedObjects: int, readDataSize: int, transferredDataSize: int, startTime: time, endTime: time, duration: int, failureMessages: v.array(v.string()),
      status: oneOf('Pending', 'Running', 'Success', 'Warning', 'Failed', 'Unknown'),
    })),
  }),
  'infrastructure/backupAgents/jobs': some({
    instanceUid: uid, originalUid: uid, backupAgentUid: uid, organizationUid: uid, name: text, description: text, configUid: uid, systemType: oneOf('Windows', 'Linux', 'Mac', 'Unknown'), backupPolicyUid: uid, backupPolicyName: text,
    operationMode: oneOf('Server', 'Workstation', 'UnLicensed', 'Unknown'), destination: text, targetType: oneOf('BackupRepository', 'CloudRepository', 'LocalFolder', 'SharedFolder', 'Unknown'),
    backupMode: oneOf('EntireComputer', 'Volume', 'File', 'Unknown'), restorePoints: int, lastRun: time, lastEndTime: time, lastDuration: int, avgDuration: int, nextRun: time, isEnabled: flag,
    scheduleType: oneOf('Daily', 'Monthly', 'Periodically', 'Continuously', 'NotScheduled', 'Unknown'), failureMessage: text, backedUpSize: int, freeSpace: int,
    status: v.picklist(['Success', 'Warning', 'Failed', 'Running', 'Starting', 'Stopping', 'None', 'Unknown', 'Enabling', 'Disabling']),
  }),
  'infrastructure/vb365Servers/organizations/jobs': some({
    instanceUid: uid, name: text, jobType: oneOf('BackupJob', 'CopyJob', 'Unknown'), repositoryUid: uid, repositoryName: text, vb365OrganizationUid: uid, vspcOrganizationUid: uid, vspcOrganizationName: text, vb365ServerUid: uid,
    vb365ServerName: text, managementAgentUid: uid, lastRun: time, nextRun: time, isEnabled: flag, isCopyJobAvailable: flag,
    lastStatus: oneOf('Success', 'Warning', 'Failed', 'Running', 'Queued', 'Stopped', 'NotConfigured', 'Disconnected', 'Unknown'), lastStatusDetails: text,
  }),
  'infrastructure/backupServers/repositories': some({ instanceUid: uid, name: text, backupServerUid: uid, _embedded: some({
    parentRepositoryUid: uid, perVmBackupFiles: flag, capacity: int, isCapacityAvailable: flag, freeSpace: int, isFreeSpaceAvailable: flag, usedSpace: int, isUsedSpaceAvailable: flag, backupSize: int, isImmutabilityEnabled: flag,
    immutabilityInterval: int, type: text, cloudRepositoryUid: uid, path: text, hostName: text, hostUid: uid, isOutOfDate: flag, status: oneOf('Healthy', 'Warning', 'Error', 'Unknown'), isCloud: flag,
  }) }),
  'discovery/computers': some({
    instanceUid: uid, ruleUid: uid, managementAgentUid: uid, discoveredTime: time, status: oneOf('Online', 'Offline', 'Error', 'Unknown'), backupAgentInstallationStatus: oneOf('Installed', 'NotInstalled', 'Unknown'), backupAgentVersion: text,
    backupAgentManagementStatus: oneOf('ManagedByConsole', 'ManagedByVBR', 'UnManaged', 'Unknown'), info: some({
      uniqueUid: uid, biosUuid: uid, hostName: text, fqdn: text, guestOs: text, guestOsType: oneOf('DomainController', 'Server', 'Workstation', 'Linux', 'Mac', 'Unknown'), guestOsVersion: text, platformType: text,
      ipAddresses: v.array(v.string()), macAddresses: v.array(v.string()), applications: v.array(v.string()),
    }),
  }),
  'alarms/active': some({
    instanceUid: uid, alarmTemplateUid: uid, repeatCount: int, area: oneOf('vspc', 'vone'),
    object: some({ instanceUid: uid, type: text, organizationUid: uid, locationUid: uid, managementAgentUid: uid, computerName: text, objectUid: uid, objectName: text }),
    lastActivation: some({ instanceUid: uid, time, status: oneOf('Error', 'Warning', 'Info', 'Acknowledged', 'Resolved'), message: text, remark: text }),
  }),
  'licensing/usage/organizations': some({ organizationUid: uid, organizationType: oneOf('Provider', 'Reseller', 'Company', 'Unknown'), providerUid: uid, servers: v.array(some({
    serverUid: uid, serverType: oneOf('BackupAndReplication', 'CloudConnect', 'VB365', 'VONE', 'VSPC', 'Unknown'), workloads: v.array(some({
      id: uid, description: text, unitType: oneOf('Points', 'Instances', 'Unknown'), rentalUnits: v.number(), newUnits: v.number(), usedUnits: v.number(), rentalCount: v.number(), newCount: v.number(), usedCount: v.number(), workloadsByPlatform: v.array(v.unknown()),
    })),
  })) }),
} as const;

const session = some({
  sessionUid: uid, jobName: text, serverName: text, managementAgentUid: uid, locationName: text, locationUid: uid, organizationName: text, organizationUid: uid, startTime: time, endTime: time, duration: int, timeShiftMinutes: int,
  result: oneOf('Success', 'Warning', 'Failed', 'Unknown'), failureMessage: text, jobType: oneOf('Backup', 'BackupCopy', 'Replication', 'Copy', 'BackupToTape', 'FfileToTape', 'Snapshot', 'RemoteSnapshot', 'SureBackup', 'Archive'),
  workloadType: oneOf('Vm', 'Computer', 'FileShare', 'File', 'ObjectStorage', 'User', 'CloudVM', 'CloudDatabase', 'CloudFileShare', 'CloudNetwork', 'Logs'),
  platformType: oneOf('VSphere', 'HyperV', 'VCD', 'AHV', 'ProxmoxVe', 'RHV', 'ScaleComputing', 'Physical', 'Aws', 'Azure', 'Google', 'Microsoft365'),
});

const listOf = (row: v.GenericSchema) => v.strictObject({ meta: v.strictObject({ pagingInfo: v.strictObject({ total: v.number(), count: v.number(), offset: v.number() }) }), data: v.array(row) });

/** The published form of each answer, by its path. */
export const PUBLISHED: Readonly<Record<string, v.GenericSchema>> = {
  ...Object.fromEntries(Object.entries(ROWS).map(([path, row]) => [path, listOf(row)])),
  'infrastructure/jobSessionHeatmap': v.strictObject({ data: v.strictObject({
    successJobsCount: v.number(), warningJobsCount: v.number(), failJobsCount: v.number(), dataPerDays: v.array(v.strictObject({ date: v.pipe(v.string(), v.isoDate()), sessions: v.array(session) })),
  }) }),
  'token': v.strictObject({ access_token: v.string(), token_type: v.string(), refresh_token: v.string(), expires_in: v.number() }),
  'errors': v.strictObject({ errors: v.array(v.strictObject({ message: v.string(), type: v.picklist(['logical', 'retryableLogical', 'security', 'transport', 'unspecified']), code: v.number() })) }),
  'asyncAction': v.strictObject({ data: v.strictObject({ id: v.string(), initiatorUid: v.string(), actionName: v.string(), status: v.picklist(['running', 'succeed', 'failed', 'canceled']), queryParameters: v.unknown() }) }),
};
