import type { DeviceCodeId, Ms } from '../ids.ts';
import type { AuthType, Region, Reply, Service } from './engine.ts';

// How an engine signs in to an organization's tenant.

/**
 * What is set up in an existing application by device code. `all`: a new certificate and the
 * permissions. `permissions`: also the current certificate, where it is missing. `nothing`: what is
 * missing is only reported.
 */
export type ApplicationSetup = 'all' | 'permissions' | 'nothing';

/**
 * `modern` with `code`: an administrator signed in by device code, and the application is created
 * (`newApplicationName`) or configured. `modern` without one: the application exists and has the
 * certificate. `modernLegacy`: application id and secret.
 */
export interface ConnectInput {
  readonly region: Region;
  readonly auth: AuthType;
  readonly services: readonly Service[];
  readonly code: DeviceCodeId | null;
  readonly officeOrganizationName: string | null;
  readonly newApplicationName: string | null;
  readonly applicationId: string | null;
  readonly applicationSecret: string | null;
  readonly setup: ApplicationSetup;
  /** If the sign-in is to another tenant: `refused`, and the access stored before stays. */
  readonly directoryId: string | null;
  /** Asked with the tenant's id before anything is changed there. */
  readonly accept?: (directoryId: string) => Reply<void>;
}
export interface ConnectedTenant {
  /** Id of the tenant in Entra. */
  readonly directoryId: string;
  /** The tenant's initial domain. */
  readonly domain: string;
  readonly displayName: string;
  readonly applicationId: string | null;
  readonly certificate: Certificate | null;
  /** Permissions that the services need and the application lacks. */
  readonly missingPermissions: readonly string[];
  /** The application lacks the certificate: an administrator has to add it. */
  readonly isCertificateMissing: boolean;
}
export interface Certificate {
  /** SHA-1 of the certificate in hexadecimal, as Entra shows it. */
  readonly thumbprint: string;
  readonly startsAt: Ms;
  readonly expiresAt: Ms;
}
/** `services`: those that are backed up. */
export interface HealthInput {
  readonly services: readonly Service[];
}
/** Whether the application signs in and may read a service. `message`: why it doesn't sign in. */
export interface ServiceHealth {
  readonly service: Service;
  readonly ok: boolean;
  readonly message: string | null;
  /** Empty too if it doesn't sign in. */
  readonly missingPermissions: readonly string[];
}
export interface AccessHealth {
  readonly services: readonly ServiceHealth[];
  /** The certificate that it signs in with, as PEM. Null: it signs in with a secret. */
  readonly certificate: string | null;
}
