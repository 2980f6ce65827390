import { X509Certificate, createHash } from 'node:crypto';
import { digest, isoTime } from './ids.ts';
import { getUuid } from '../random.ts';
import type { Tenant } from './store.ts';

export interface PasswordCredential {
  readonly keyId: string;
  readonly displayName: string | null;
  readonly startDateTime: string;
  readonly endDateTime: string;
  readonly hint: string;
  readonly secretText: string;
}
export interface KeyCredential {
  readonly keyId: string;
  readonly type: string;
  readonly usage: string;
  readonly displayName: string | null;
  readonly customKeyIdentifier: string;
  readonly startDateTime: string;
  readonly endDateTime: string;
  /** The certificate in DER, base64. */
  readonly key: string;
}
/** An app registration with its service principal in this tenant. */
export interface Application {
  readonly id: string;
  readonly appId: string;
  readonly displayName: string;
  readonly createdDateTime: string;
  readonly isPublic: boolean;
  readonly passwords: readonly PasswordCredential[];
  readonly keys: readonly KeyCredential[];
  readonly requiredResourceAccess: readonly unknown[];
  readonly principalId: string | null;
  /** Application permissions that an administrator has consented to. */
  readonly roles: readonly string[];
}

/** The public client that every tenant knows: for device codes without a registration. */
export const PUBLIC_CLIENT_ID = '14d82eec-204b-4c2f-b7e8-296a70dab67e';

const getKey = (appId: string): string => `application:${appId.toLowerCase()}`;

export function findApplication({ store }: Tenant, appId: string): Application | null {
  const props = store.readMeta(getKey(appId));
  return props === null ? null : (JSON.parse(props) as Application);
}

export function saveApplication({ store }: Tenant, application: Application): void {
  store.writeMeta(getKey(application.appId), JSON.stringify(application));
}

export function listApplications({ store }: Tenant): Application[] {
  return store
    .all<{ value: string }>("select value from meta where key like 'application:%' order by key")
    .map(({ value }) => JSON.parse(value) as Application);
}

export function newApplication(tenant: Tenant, displayName: string): Application {
  const n = tenant.store.nextSeq();
  return {
    id: getUuid(tenant.seed, 'application', n),
    appId: getUuid(tenant.seed, 'client', n),
    displayName,
    createdDateTime: isoTime(tenant.now()),
    isPublic: false,
    passwords: [],
    keys: [],
    requiredResourceAccess: [],
    principalId: null,
    roles: [],
  };
}

export function newPassword(tenant: Tenant, displayName: string | null): PasswordCredential {
  const n = tenant.store.nextSeq();
  const secretText = digest(tenant.seed, 'secret', n).toString('base64url').slice(0, 40);
  return {
    keyId: getUuid(tenant.seed, 'password', n),
    displayName,
    startDateTime: isoTime(tenant.now()),
    endDateTime: isoTime(tenant.now() + 2 * 365 * 86_400_000),
    hint: secretText.slice(0, 3),
    secretText,
  };
}

/** Returns the credential that a certificate (DER) is. */
export function keyOfCertificate(
  tenant: Tenant,
  der: Buffer,
  displayName: string | null,
): KeyCredential {
  const certificate = new X509Certificate(der);
  return {
    keyId: getUuid(tenant.seed, 'key', tenant.store.nextSeq()),
    type: 'AsymmetricX509Cert',
    usage: 'Verify',
    displayName: displayName ?? certificate.subject,
    customKeyIdentifier: createHash('sha1').update(der).digest('base64'),
    startDateTime: isoTime(Date.parse(certificate.validFrom)),
    endDateTime: isoTime(Date.parse(certificate.validTo)),
    key: der.toString('base64'),
  };
}

export function removeApplication({ store }: Tenant, { appId }: Application): void {
  store.run('delete from meta where key = ?', getKey(appId));
}
