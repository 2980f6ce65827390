import type { Certificate, ConnectedTenant, ConnectInput } from '#contract/engine/connection.ts';
import type { EngineErrorKind, EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { DeviceCodeId, Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import {
  addApplicationKey,
  createRegistration,
  ensurePrincipal,
  findLacking,
  findRegistration,
  grantPermissions,
  hasKey,
  newCertificate,
  permissionsFor,
  listApplicationPermissions,
  type Registration,
  removeKey,
} from '../entra/application.ts';
import { describeCertificate, getThumbprint } from '../graph/certificate.ts';
import type { ApplicationCertificate } from '../graph/certificate.ts';
import type { GraphClient } from '../graph/client.ts';
import { failed, ok } from '../../result.ts';
import { directoryClient } from '../sources/directory.ts';
import {
  type Access,
  type GraphConnections,
  loadOrganizationAccess,
  storeAccess,
} from './access.ts';
import { type ClaimedCode, deleteCode, withDeviceCode } from './device-codes.ts';
import { accessMessages as t } from './messages.en.ts';
import { readOwner } from './owner.ts';

/** Less than a code is claimed for. */
export const SETUP_MS: Ms = 60_000;
/** Entra accepts new applications, keys and permissions after some seconds. */
export const TRY_AGAIN_MS: Ms = 3_000;
const MAX_TRIES = 15;
export const NOT_YET: ReadonlySet<EngineErrorKind> = new Set(['missing', 'invalid']);
export const NOT_ACCEPTED: ReadonlySet<EngineErrorKind> = new Set([
  'missing',
  'refused',
  'forbidden',
]);

/**
 * Creates or configures an application as the administrator who signed in by device code, and
 * stores its certificate as the access. With `setup` nothing, the tenant stays as it is: the access
 * works once an administrator has added the certificate and the permissions that are returned. The
 * code is deleted with that; until then, another try continues where this one ended.
 */
export async function connectByCode(
  context: AppContext,
  connections: GraphConnections,
  scope: EngineScope,
  input: ConnectInput,
): Promise<EngineResult<ConnectedTenant>> {
  const { code, newApplicationName, applicationId } = input;
  const setup = newApplicationName === null ? input.setup : 'all';
  if (code === null) return failed('invalid', t.codeNeeded, { field: 'userCode' });
  if (newApplicationName === null && applicationId === null)
    return failed('invalid', t.applicationNeeded, { field: 'newApplicationName' });
  const fresh = await newCertificate(context);
  return withDeviceCode(context, scope, code, { fresh, replaces: null }, async (claimed) => {
    if (input.region !== claimed.region)
      return failed('invalid', t.otherRegion, { field: 'region' });
    const { client, person } = signedIn(connections, claimed);
    const owner = await readOwner(person);
    if (!owner.ok) return owner;
    const { domains, ...tenant } = owner.value;
    const { directoryId } = tenant;
    const office = input.officeOrganizationName?.toLowerCase() ?? null;
    if (
      input.directoryId === null
        ? isOther(office, directoryId, domains)
        : input.directoryId !== directoryId
    )
      return failed('refused', t.otherSignIn);
    const accepted = await input.accept?.(directoryId);
    if (accepted?.ok === false) return accepted;

    const { certificate } = claimed;
    const registration =
      newApplicationName === null
        ? await findRegistration(client, applicationId ?? '')
        : await createRegistration(client, newApplicationName, certificate);
    if (!registration.ok) return registration;
    const { appId } = registration.value;
    const permissions = permissionsFor(input.services);
    const current = setup === 'all' ? null : await loadCurrent(context, scope, registration.value);
    const access = current?.access ?? accessBy(claimed, directoryId, appId);
    let missing: readonly string[];
    if (setup === 'nothing') {
      const lacking = await findLacking(client, appId, permissions);
      if (!lacking.ok) return lacking;
      missing = lacking.value;
    } else {
      const added = current
        ? ok(undefined)
        : await addApplicationKey(client, registration.value, certificate);
      if (!added.ok) return added;
      const granted = await repeatUntilKnown(connections, claimed, NOT_YET, async () => {
        const principal = await ensurePrincipal(client, appId);
        return principal.ok
          ? grantPermissions(client, principal.value, listApplicationPermissions(input.services))
          : principal;
      });
      if (!granted.ok) return granted;
      missing = granted.value.filter((permission) => permissions.includes(permission));
      const works = await waitUntilAccepted(connections, claimed, access, missing.length > 0);
      if (!works.ok) return works;
    }
    const { thumbprint, startsAt, expiresAt } = current?.certificate ?? certificate;
    await context.store.tenant(scope.tenant, async (tx) => {
      await storeAccess(tx, context, scope.organization, access);
      await deleteCode(tx, code);
    });
    return ok({
      ...tenant,
      applicationId: appId,
      certificate: { thumbprint, startsAt, expiresAt },
      missingPermissions: missing,
      isCertificateMissing: setup === 'nothing' && !hasKey(registration.value, thumbprint),
    });
  });
}

/** Returns the stored access with its certificate, if the application has it. */
async function loadCurrent(
  context: AppContext,
  { tenant, organization }: EngineScope,
  registration: Registration,
): Promise<{ readonly access: Access; readonly certificate: Certificate } | null> {
  const stored = await loadOrganizationAccess(context, tenant, organization);
  if (!stored.ok || stored.value.applicationId !== registration.appId) return null;
  const { region, directory, applicationId, credential } = stored.value;
  if (credential.kind !== 'certificate') return null;
  const certificate = describeCertificate(credential.certificate);
  return hasKey(registration, certificate.thumbprint)
    ? { access: { region, directory, applicationId, credential }, certificate }
    : null;
}

/**
 * Replaces the certificate: the new one is added, tried and stored before the old one is removed, so
 * that one of them works at any time.
 */
export async function renewCertificate(
  context: AppContext,
  connections: GraphConnections,
  scope: EngineScope,
  code: DeviceCodeId,
): Promise<EngineResult<Certificate>> {
  const stored = await loadOrganizationAccess(context, scope.tenant, scope.organization);
  if (!stored.ok) return stored;
  const { directory, applicationId, credential } = stored.value;
  if (credential.kind !== 'certificate') return failed('conflict', t.noCertificate);
  const fresh = await newCertificate(context);
  const replaces = getThumbprint(credential.certificate);
  return withDeviceCode(context, scope, code, { fresh, replaces }, async (claimed) => {
    const { client, person } = signedIn(connections, claimed);
    const owner = await readOwner(person);
    if (!owner.ok) return owner;
    if (owner.value.directoryId !== directory) return failed('refused', t.otherSignIn);
    const registration = await findRegistration(client, applicationId);
    if (!registration.ok) return registration;
    const { certificate } = claimed;
    const added = await addApplicationKey(client, registration.value, certificate);
    if (!added.ok) return added;
    const access = accessBy(claimed, directory, applicationId);
    const works = await waitUntilAccepted(connections, claimed, access, true);
    if (!works.ok) return works;
    await context.store.tenant(scope.tenant, (tx) =>
      storeAccess(tx, context, scope.organization, access),
    );
    const renewed = await findRegistration(client, applicationId);
    if (!renewed.ok) return renewed;
    if (claimed.replaces !== null) {
      const removed = await removeKey(client, renewed.value, claimed.replaces);
      if (!removed.ok) return removed;
    }
    await context.store.tenant(scope.tenant, (tx) => deleteCode(tx, code));
    return ok(shown(certificate));
  });
}

export function signedIn(
  connections: GraphConnections,
  { region, accessToken }: Pick<ClaimedCode, 'region' | 'accessToken'>,
): { client: GraphClient; person: ReturnType<GraphConnections['person']> } {
  const person = connections.person(region, accessToken);
  const client = directoryClient(person, {
    signal: AbortSignal.timeout(SETUP_MS),
    onWaiting: () => undefined,
  });
  return { client, person };
}

/** G69: whether the tenant is another one than the one that was named. */
const isOther = (office: string | null, directoryId: string, domains: readonly string[]): boolean =>
  office !== null && office !== directoryId && !domains.includes(office);

const accessBy = (
  { region, certificate: { certificate, privateKey } }: ClaimedCode,
  directory: string,
  applicationId: string,
): Access => ({
  region,
  directory,
  applicationId,
  credential: { kind: 'certificate', certificate, privateKey },
});

const shown = ({ thumbprint, startsAt, expiresAt }: ApplicationCertificate): Certificate => ({
  thumbprint,
  startsAt,
  expiresAt,
});

/** Tries the new access until Entra accepts it; with `signInOnly`, without reading anything. */
async function waitUntilAccepted(
  connections: GraphConnections,
  claimed: ClaimedCode,
  access: Access,
  signInOnly: boolean,
): Promise<EngineResult<void>> {
  const works = await repeatUntilKnown<unknown>(connections, claimed, NOT_ACCEPTED, () => {
    // A connection of its own for each try: a token has the permissions of its time.
    const ports = connections.try(access);
    return signInOnly ? ports.tokens.get(AbortSignal.timeout(SETUP_MS)) : readOwner(ports);
  });
  if (works.ok) return ok(undefined);
  return NOT_ACCEPTED.has(works.error.kind)
    ? failed('busy', t.notAcceptedYet, { waitMs: TRY_AGAIN_MS })
    : works;
}

/** Repeats work that fails because Entra doesn't know something new everywhere yet. */
export async function repeatUntilKnown<T>(
  connections: GraphConnections,
  { region }: Pick<ClaimedCode, 'region'>,
  kinds: ReadonlySet<EngineErrorKind>,
  run: () => Promise<EngineResult<T>>,
): Promise<EngineResult<T>> {
  const { clock } = connections.login(region);
  const signal = AbortSignal.timeout(SETUP_MS);
  for (let attempt = 1; ; attempt += 1) {
    const result = await run();
    const isOver = attempt === MAX_TRIES || signal.aborted;
    if (result.ok || isOver || !kinds.has(result.error.kind)) return result;
    await clock.sleep(TRY_AGAIN_MS, signal);
  }
}
