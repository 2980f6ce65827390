import * as v from 'valibot';
import { flag, int32, int64, links, text, time, uid } from './schema-parts.ts';

// What the OpenAPI document of version 8 publishes of the object storage of a repository.

const maybe = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const some = <E extends v.ObjectEntries>(entries: E) => v.partial(v.strictObject(entries));

const place = v.picklist(['Global', 'Germany', 'China', 'Government']);
const network = { id: text, name: text };
const appliance = { ipRanges: maybe(text), appliancePort: maybe(int32) };

export const objectStorage = some({
  id: uid,
  type: v.picklist([
    'AzureBlob',
    'AmazonS3',
    'AmazonS3Compatible',
    'AzureBlobArchive',
    'AmazonS3Glacier',
    'WasabiCloud',
    'IBMCloud',
  ]),
  accountId: maybe(uid),
  sizeLimitEnabled: maybe(flag),
  sizeLimitGB: maybe(int64),
  usedSpaceBytes: maybe(int64),
  freeSpaceBytes: maybe(int64),
  enableImmutability: maybe(flag),
  enableImmutabilityGovernanceMode: maybe(flag),
  immutabilityPeriodDays: maybe(int64),
  s3Folder: text,
  amazonBucketS3Compatible: some({
    servicePoint: text,
    customRegionId: text,
    name: text,
    trustedServerCertificateThumbprint: maybe(text),
    trustServerCertificate: maybe(flag),
    _links: links,
  }),
  amazonBucketS3Aws: some({
    regionType: v.picklist(['Global', 'USGovernment', 'China']),
    regionName: text,
    regionId: text,
    name: text,
    _links: links,
  }),
  glacierDeepArchiveEnabled: maybe(flag),
  glacierInstantRetrievalEnabled: maybe(flag),
  standardIaStorageClassEnabled: maybe(flag),
  oneZoneIaStorageClassEnabled: maybe(flag),
  useArchiverAppliance: maybe(flag),
  amazonArchiverAppliance: some({
    ...appliance,
    instanceTypeName: text,
    virtualPrivateCloud: some({ ...network, CIDR: text }),
    subnet: some({ ...network, CIDR: text }),
    securityGroup: some(network),
  }),
  azureContainer: some({ name: text, regionType: place, _links: links }),
  azureFolder: text,
  azureServiceAccount: some({
    id: uid,
    type: v.picklist(['Azure', 'AWS']),
    displayName: text,
    description: text,
    applicationId: uid,
    applicationCertificateThumbprint: text,
    azureEnvironment: place,
    azureTenantId: text,
    lastModified: time,
  }),
  azureSubscription: some({ subscriptionId: text, displayName: text }),
  azureArchiverAppliance: some({
    ...appliance,
    virtualMachineSizeName: text,
    resourceGroup: some({ name: text, location: text }),
    virtualNetwork: some({
      ...network,
      type: text,
      location: text,
      addressSpaces: v.array(text),
    }),
    subnet: some({ name: text, addressPrefix: text }),
    region: text,
  }),
  _links: links,
});
