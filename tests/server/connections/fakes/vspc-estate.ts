import type { Console, Row } from './vspc.ts';
import { uid } from './vspc.ts';

const iso = (at: number): string => new Date(at).toISOString();
/** As the console writes times: with seven digits, and a zone. */
export const formatVspcTime = (at: number): string =>
  `${iso(at).slice(0, 19)}.${String(at % 1000).padStart(3, '0')}0000+00:00`;

export interface JobOf {
  readonly company: string;
  readonly server: string;
  readonly name: string;
}

export const aServer = (company: string, name: string): Row => ({
  instanceUid: uid(`server ${name}`),
  name,
  organizationUid: uid(`company ${company}`),
  locationUid: uid('location'),
  managementAgentUid: uid(`agent ${name}`),
  version: '12.1.0.2131',
  displayVersion: '12.1',
  installationUid: uid(`install ${name}`),
  backupServerRoleType: 'Client',
  status: 'Healthy',
});
export const aCompany = (name: string): Row => ({
  instanceUid: uid(`company ${name}`),
  name,
  status: 'Active',
  ownerCredentials: { userName: 'owner' },
  isRestAccessEnabled: false,
  isAlarmDetectEnabled: true,
});

export function aJob({ company, server, name }: JobOf, at: number, more: Row = {}): Row {
  return {
    instanceUid: uid(`job ${server} ${name}`),
    uniqueUid: uid(`unique ${server} ${name}`),
    name,
    description: '',
    createdBy: 'VBR\\admin',
    creationTime: formatVspcTime(at - 86_400_000),
    backupServerUid: uid(`server ${server}`),
    locationUid: uid('location'),
    siteUid: null,
    organizationUid: uid(`company ${company}`),
    mappedOrganizationUid: null,
    status: 'Success',
    type: 'BackupVm',
    lastRun: formatVspcTime(at),
    lastEndTime: formatVspcTime(at + 600_000),
    lastDuration: 600,
    processingRate: 17,
    avgDuration: 600,
    transferredData: 1_052_000,
    backupChainSize: 9_000_000,
    bottleneck: 'Source',
    isEnabled: true,
    scheduleType: 'Daily',
    schedule: {
      startDateTimeUtc: formatVspcTime(at + 86_400_000),
      dailyScheduleOptions: { kind: 'Everyday', days: null, timeUtc: iso(at).slice(11, 19) },
    },
    failureMessage: null,
    targetType: 'Local',
    destination: 'Repository 1',
    retentionLimit: 14,
    retentionLimitType: 'RestorePoints',
    isGfsOptionEnabled: false,
    lastSessionTasks: [],
    ...more,
  };
}

export function aSession({ company, server, name }: JobOf, at: number, more: Row = {}): Row {
  return {
    sessionUid: uid(`session ${server} ${name} ${at}`),
    jobName: name,
    serverName: server,
    managementAgentUid: uid(`agent ${server}`),
    locationName: 'Office',
    locationUid: uid('location'),
    organizationName: company,
    organizationUid: uid(`company ${company}`),
    startTime: formatVspcTime(at),
    endTime: formatVspcTime(at + 600_000),
    duration: 600,
    timeShiftMinutes: 0,
    result: 'Success',
    failureMessage: null,
    jobType: 'Backup',
    workloadType: 'Vm',
    platformType: 'VSphere',
    ...more,
  };
}

export const aRepository = (server: string, name: string, capacity: number, free: number): Row => ({
  instanceUid: uid(`repository ${server} ${name}`),
  name,
  backupServerUid: uid(`server ${server}`),
  _embedded: {
    parentRepositoryUid: null,
    perVmBackupFiles: true,
    capacity,
    isCapacityAvailable: true,
    freeSpace: free,
    isFreeSpaceAvailable: true,
    usedSpace: capacity - free,
    isUsedSpaceAvailable: true,
    backupSize: capacity - free,
    isImmutabilityEnabled: false,
    immutabilityInterval: 0,
    type: 'Windows',
    path: 'E:\\Backup',
    hostName: server,
    isOutOfDate: false,
    status: 'Healthy',
    isCloud: false,
  },
});

export const aComputer = (company: string, hostName: string): { computer: Row; agent: Row } => ({
  computer: {
    instanceUid: uid(`computer ${hostName}`),
    ruleUid: uid('rule'),
    managementAgentUid: uid(`agent ${hostName}`),
    discoveredTime: formatVspcTime(1_772_000_000_000),
    status: 'Online',
    backupAgentInstallationStatus: 'NotInstalled',
    backupAgentVersion: null,
    backupAgentManagementStatus: 'UnManaged',
    info: {
      uniqueUid: uid(`info ${hostName}`),
      hostName,
      fqdn: `${hostName}.example`,
      guestOs: 'Windows Server 2022',
      guestOsType: 'Server',
      platformType: 'Physical',
      ipAddresses: ['192.0.2.9'],
      macAddresses: [],
      applications: [],
    },
  },
  agent: {
    instanceUid: uid(`agent ${hostName}`),
    organizationUid: uid(`company ${company}`),
    hostName,
    status: 'Healthy',
    version: '9.0',
  },
});

export const anAlarm = (company: string, name: string, at: number): Row => ({
  instanceUid: uid(`alarm ${name}`),
  alarmTemplateUid: uid('template'),
  repeatCount: 2,
  area: 'vspc',
  object: {
    instanceUid: uid(`object ${name}`),
    type: 'BackupRepository',
    organizationUid: uid(`company ${company}`),
    computerName: 'vbr-1',
    objectUid: uid(`object ${name}`),
    objectName: name,
  },
  lastActivation: {
    instanceUid: uid(`activation ${name}`),
    time: formatVspcTime(at),
    status: 'Error',
    message: `${name} is nearly full`,
    remark: '',
  },
});

export const aLicence = (company: string, used: number): Row => ({
  organizationUid: uid(`company ${company}`),
  organizationType: 'Company',
  providerUid: uid('provider'),
  servers: [
    {
      serverUid: uid('server vbr-1'),
      serverType: 'BackupAndReplication',
      workloads: [
        {
          id: uid('workload VMs'),
          description: 'VMs',
          unitType: 'Points',
          rentalUnits: 0,
          newUnits: 2,
          usedUnits: used,
          rentalCount: 0,
          newCount: 1,
          usedCount: used,
          workloadsByPlatform: [],
        },
      ],
    },
  ],
});

/** So many jobs on servers of some companies, each with its last run. */
export function fill(console: Console, companies: number, jobs: number, at: number): JobOf[] {
  const all: JobOf[] = [];
  for (let c = 0; c < companies; c += 1) {
    console.companies.push(aCompany(`Company ${c}`));
    console.servers.push(aServer(`Company ${c}`, `vbr-${c}`));
  }
  for (let j = 0; j < jobs; j += 1) {
    const c = j % companies;
    const job = { company: `Company ${c}`, server: `vbr-${c}`, name: `Job ${j}` };
    all.push(job);
    const failed = j % 17 === 0;
    console.jobs.push(
      aJob(
        job,
        at - (j % 3_600) * 1000,
        failed
          ? { status: 'Failed', failureMessage: 'Unable to connect to the guest.\r\nError code: 5' }
          : {},
      ),
    );
  }
  return all;
}

export const anAgent = (company: string, name: string): Row => ({
  instanceUid: uid(`backup agent ${name}`),
  name,
  managementAgentUid: uid(`agent ${name}`),
  organizationUid: uid(`company ${company}`),
  agentPlatform: 'Windows',
  status: 'Active',
  managementMode: 'ManagedByConsole',
  operationMode: 'Workstation',
  platform: 'Physical',
  version: '6.3.0.177',
  totalJobsCount: 1,
  runningJobsCount: 0,
  successJobsCount: 1,
});

export const anAgentJob = (company: string, name: string, at: number, more: Row = {}): Row => ({
  instanceUid: uid(`agent job ${name}`),
  originalUid: uid(`original ${name}`),
  backupAgentUid: uid(`backup agent ${name}`),
  organizationUid: uid(`company ${company}`),
  name: `Backup of ${name}`,
  description: '',
  systemType: 'Windows',
  operationMode: 'Workstation',
  destination: 'Repository 1',
  targetType: 'BackupRepository',
  backupMode: 'EntireComputer',
  restorePoints: 7,
  lastRun: formatVspcTime(at),
  lastEndTime: formatVspcTime(at + 300_000),
  lastDuration: 300,
  avgDuration: 310,
  nextRun: formatVspcTime(at + 86_400_000),
  isEnabled: true,
  scheduleType: 'Daily',
  failureMessage: null,
  backedUpSize: 7_000_000,
  freeSpace: 1_000_000,
  status: 'Success',
  ...more,
});

export const anOffice365Job = (company: string, name: string, at: number, more: Row = {}): Row => ({
  instanceUid: uid(`365 ${name}`),
  name,
  jobType: 'BackupJob',
  repositoryUid: uid('365 repository'),
  repositoryName: 'Object store',
  vb365OrganizationUid: uid(`365 org ${company}`),
  vspcOrganizationUid: uid(`company ${company}`),
  vspcOrganizationName: company,
  vb365ServerUid: uid('vb365-1'),
  vb365ServerName: 'vb365-1',
  managementAgentUid: uid('agent vb365-1'),
  lastRun: formatVspcTime(at),
  nextRun: formatVspcTime(at + 86_400_000),
  isEnabled: true,
  isCopyJobAvailable: true,
  lastStatus: 'Success',
  lastStatusDetails: null,
  ...more,
});
