import * as v from 'valibot';
import { flag, int32, int64, text, time, uid } from './schema-parts.ts';
import type { Vb365Version } from './state.ts';

// What the OpenAPI documents publish of jobs, of what they back up, and of the tenant's directory.

/** A time of day, as .NET writes it. */
export const dayTime = v.pipe(v.string(), v.regex(/^\d\d:\d\d:\d\d(\.\d{1,7})?$/));
const maybe = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const getOne = <const W extends readonly string[]>(...words: W) => v.picklist(words);
/** Entries that only one of the versions has. */
const when = (isSo: boolean, entries: v.ObjectEntries): v.ObjectEntries => (isSo ? entries : {});
const some = <E extends v.ObjectEntries>(entries: E) => v.partial(v.strictObject(entries));
/** Entries of which some are required. */
const those = <E extends v.ObjectEntries>(required: E, others: v.ObjectEntries) =>
  v.strictObject({ ...required, ...v.partial(v.strictObject(others)).entries });
const links = v.record(v.string(), v.strictObject({ href: text }));

export const JOB_STATUS = getOne(
  'Stopped',
  'Running',
  'Success',
  'Failed',
  'Warning',
  'NotConfigured',
  'Disconnected',
  'Queued',
);
export const DAILY_TYPE = getOne(
  'Everyday',
  'Workdays',
  'Weekends',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
);
const WINDOW = some({ backupWindow: v.array(flag), minuteOffset: maybe(int32) });
const PERIODS = [
  'Minutes5',
  'Minutes10',
  'Minutes15',
  'Minutes30',
  'Hours1',
  'Hours2',
  'Hours4',
  'Hours8',
] as const;

const member = (more: v.ObjectEntries) => some({ id: text, _links: links, ...more });
const LOCATION = getOne('OnPremises', 'Cloud', 'Hybrid');
/** Objects of a tenant's directory. */
export const directory = (version: Vb365Version) => {
  const inV8 = when(version === 'v8', {
    eTag: maybe(int64),
    msid: maybe(uid),
    dataLocation: maybe(text),
  });
  return {
    user: member({
      ...inV8,
      onPremisesSid: text,
      displayName: text,
      name: text,
      type: maybe(getOne('User', 'Shared', 'Public')),
      locationType: LOCATION,
      office: text,
      ...when(version === 'v8', { assignedLicenses: maybe(v.array(text)) }),
    }),
    group: member({
      ...inV8,
      onPremisesSid: maybe(text),
      displayName: text,
      name: maybe(text),
      managedBy: maybe(text),
      site: maybe(text),
      type: maybe(getOne('Office365', 'Security', 'Distribution', 'DynamicDistribution')),
      locationType: LOCATION,
    }),
    team: those(
      { id: uid, displayName: text, mail: text },
      { ...inV8, description: text, _links: links },
    ),
    site: those(
      { id: text, url: text, title: text, isCloud: flag, isPersonal: flag },
      {
        ...inV8,
        parentUrl: text,
        name: text,
        isAvailable: flag,
        siteCollectionError: text,
        _links: links,
      },
    ),
  };
};
/** An item that a job backs up: what it is, and which of its parts. */
export const jobItem = (version: Vb365Version) => {
  const { user, group, team, site } = directory(version);
  const { isAvailable: _, msid: _id, dataLocation: _place, ...inJob } = site.entries;
  return some({
    type: getOne(
      'Group',
      'User',
      'Site',
      'Team',
      'PartialOrganization',
      'PersonalSites',
      'OneDriveFolders',
    ),
    id: maybe(text),
    folders: v.array(text),
    user,
    group,
    team,
    site: v.strictObject(inJob),
    mailbox: maybe(flag),
    oneDrive: maybe(flag),
    archiveMailbox: maybe(flag),
    personalSite: maybe(flag),
    sites: maybe(flag),
    teams: maybe(flag),
    teamsChats: maybe(flag),
    members: maybe(flag),
    memberMailbox: maybe(flag),
    memberArchiveMailbox: maybe(flag),
    memberOnedrive: maybe(flag),
    memberSite: maybe(flag),
    groupSite: maybe(flag),
    _links: maybe(links),
  });
};

const BACKUP_TYPE = getOne('EntireOrganization', 'SelectedItems');
const policy = (version: Vb365Version) =>
  some({
    scheduleEnabled: maybe(flag),
    backupWindowEnabled: maybe(flag),
    backupWindowSettings: WINDOW,
    periodicallyWindowEnabled: maybe(flag),
    periodicallyWindowSettings: WINDOW,
    periodicallyOffsetMinutes: maybe(int32),
    type: maybe(getOne('Periodically', 'Daily', 'ManualOnly')),
    periodicallyEvery: maybe(version === 'v8' ? getOne(...PERIODS, 'Hours12') : getOne(...PERIODS)),
    dailyType: maybe(DAILY_TYPE),
    dailyTime: dayTime,
    retryEnabled: maybe(flag),
    retryNumber: maybe(int32),
    retryWaitInterval: maybe(int32),
  });

const settings = (version: Vb365Version) => ({
  description: text,
  schedulePolicy: policy(version),
  repositoryId: maybe(uid),
  name: text,
  isEnabled: maybe(flag),
  backupType: maybe(BACKUP_TYPE),
});
const items = (version: Vb365Version) => ({
  runNow: maybe(flag),
  selectedItems: v.array(jobItem(version)),
  excludedItems: v.array(jobItem(version)),
});
export const job = (version: Vb365Version) =>
  some({
    ...settings(version),
    id: maybe(uid),
    lastRun: maybe(time),
    nextRun: maybe(time),
    lastBackup: maybe(time),
    lastStatus: maybe(JOB_STATUS),
    _links: links,
    ...(version === 'v8' ? { organizationId: maybe(uid), eTag: int64 } : items(version)),
  });
/** The body of a request that creates a job. Version 7 takes a whole job, below its organization. */
export const newJob = (version: Vb365Version): v.GenericSchema =>
  version === 'v7'
    ? job(version)
    : those(
        { backupType: BACKUP_TYPE, organizationId: uid, repositoryId: uid },
        {
          ...items(version),
          description: text,
          schedulePolicy: policy(version),
          name: text,
          isEnabled: maybe(flag),
        },
      );
/** The body of a request that replaces the settings of a job. */
export const changedJob = (version: Vb365Version): v.GenericSchema =>
  version === 'v7'
    ? job(version)
    : some({
        ...settings(version),
        ...items(version),
        description: maybe(text),
        name: maybe(text),
      });
