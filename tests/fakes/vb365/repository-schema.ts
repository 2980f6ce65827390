import * as v from 'valibot';
import { DAILY_TYPE, dayTime } from './job-schema.ts';
import { flag, int32, links, text, uid } from './schema-parts.ts';
import type { Vb365Version } from './state.ts';
import { objectStorage } from './storage-schema.ts';

const maybe = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const WEEKDAY = v.picklist([
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
]);

/** `RESTBackupRepositoryFromClient`: what creates and replaces a repository. */
export const repositoryFromClient = (version: Vb365Version): v.GenericSchema =>
  v.strictObject({
    retentionType: v.picklist(['ItemLevel', 'SnapshotBased']),
    ...v.partial(
      v.strictObject({
        objectStorageEncryptionEnabled: maybe(flag),
        encryptionKeyId: maybe(uid),
        id: maybe(uid),
        name: text,
        description: text,
        path: text,
        retentionPeriodType: maybe(v.picklist(['Monthly', 'Daily', 'Yearly'])),
        dailyRetentionPeriod: maybe(int32),
        monthlyRetentionPeriod: maybe(int32),
        yearlyRetentionPeriod: maybe(
          v.picklist([
            'Year1',
            'Years2',
            'Years3',
            'Years5',
            'Years7',
            'Years10',
            'Years25',
            'Keep',
          ]),
        ),
        retentionFrequencyType: maybe(v.picklist(['Daily', 'Monthly'])),
        dailyTime: dayTime,
        dailyType: maybe(DAILY_TYPE),
        monthlyTime: dayTime,
        monthlyDaynumber: maybe(v.picklist(['First', 'Second', 'Third', 'Fourth', 'Last'])),
        monthlyDayofweek: maybe(WEEKDAY),
        proxyId: maybe(uid),
        attachUsedRepository: maybe(flag),
        ...(version === 'v8'
          ? {
              proxyPoolId: maybe(uid),
              ignoreProxyPoolApplianceAccessValidation: maybe(flag),
              organizationId: maybe(uid),
              objectStorage: maybe(objectStorage),
            }
          : { objectStorageId: maybe(uid), objectStorageCachePath: text }),
      }),
    ).entries,
  });

/** What version 7 has of an object storage, as far as it is read. */
export const objectStorageRow = v.partial(
  v.strictObject({
    id: uid,
    name: text,
    description: text,
    type: v.picklist(['AmazonS3Compatible']),
    s3Folder: text,
    amazonBucketS3Compatible: v.partial(
      v.strictObject({ servicePoint: text, customRegionId: text, name: text, _links: links }),
    ),
    _links: links,
  }),
);
