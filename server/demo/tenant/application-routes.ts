import * as v from 'valibot';
import { getUuid } from '../random.ts';
import {
  type Application,
  type KeyCredential,
  findApplication,
  keyOfCertificate,
  listApplications,
  newApplication,
  newPassword,
  removeApplication,
  saveApplication,
} from './applications.ts';
import { verifyAssertion } from './entra.ts';
import { GraphError, badRequest, resourceNotFound } from './graph-error.ts';
import type { GraphApp, GraphContext } from './graph-env.ts';
import {
  type GraphEntity,
  graphUrl,
  pageEntities,
  selectProperties,
  readJson,
  readQuery,
} from './odata.ts';
import { APP_ROLES, checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';

/** The application of Microsoft Graph itself. */
const GRAPH_APP_ID = '00000003-0000-0000-c000-000000000000';

const keyInput = v.object({
  type: v.literal('AsymmetricX509Cert'),
  usage: v.literal('Verify'),
  key: v.pipe(v.string(), v.base64()),
  displayName: v.optional(v.nullable(v.string())),
});
const applicationInput = v.object({
  displayName: v.optional(v.pipe(v.string(), v.minLength(1))),
  requiredResourceAccess: v.optional(
    v.array(
      v.object({
        resourceAppId: v.string(),
        resourceAccess: v.array(v.object({ id: v.string(), type: v.string() })),
      }),
    ),
  ),
  keyCredentials: v.optional(v.array(v.union([keyInput, v.object({ keyId: v.string() })]))),
});
const passwordInput = v.object({
  passwordCredential: v.optional(v.object({ displayName: v.optional(v.nullable(v.string())) })),
});
const addKeyInput = v.object({ keyCredential: keyInput, proof: v.string() });
const removeKeyInput = v.object({ keyId: v.string(), proof: v.string() });
const assignmentInput = v.object({
  principalId: v.string(),
  resourceId: v.string(),
  appRoleId: v.string(),
});

function parse<S extends v.GenericSchema>(schema: S, json: unknown): v.InferOutput<S> {
  const parsed = v.safeParse(schema, json);
  if (!parsed.success)
    throw new GraphError(
      400,
      'Request_BadRequest',
      `${v.getDotPath(parsed.issues[0]) ?? ''}: ${parsed.issues[0].message}`,
    );
  return parsed.output;
}

/** App registrations, their keys, and the consent to their roles. */
export function addApplicationRoutes(app: GraphApp, tenant: Tenant): void {
  app.post('/applications', async (c) => {
    checkPermission(c.get('caller'), 'writeApplications');
    const input = parse(applicationInput, await readJson(c.req.raw));
    if (input.displayName === undefined)
      throw new GraphError(400, 'Request_BadRequest', 'displayName is required.');
    const created = change(tenant, newApplication(tenant, input.displayName), input);
    return c.json(applicationEntity(tenant, created), 201);
  });
  app.get('/applications', (c) => {
    checkPermission(c.get('caller'), 'readApplications');
    const entities = listApplications(tenant).map((application) =>
      applicationEntity(tenant, application),
    );
    return c.json(
      pageEntities(tenant, c.req.raw, entities, { type: 'application', normal: 100, max: 999 }),
    );
  });
  app.get('/applications/:id', (c) => {
    checkPermission(c.get('caller'), 'readApplications');
    const { select } = readQuery(new URL(c.req.url));
    const application = findById(tenant, c.req.param('id'));
    return c.json(selectProperties(applicationEntity(tenant, application), select, 'application'));
  });
  app.patch('/applications/:id', async (c) => {
    checkPermission(c.get('caller'), 'writeApplications');
    change(
      tenant,
      findById(tenant, c.req.param('id')),
      parse(applicationInput, await readJson(c.req.raw)),
    );
    return c.body(null, 204);
  });
  app.delete('/applications/:id', (c) => {
    checkPermission(c.get('caller'), 'writeApplications');
    removeApplication(tenant, findById(tenant, c.req.param('id')));
    return c.body(null, 204);
  });
  app.post('/applications/:id/addPassword', async (c) => {
    checkPermission(c.get('caller'), 'writeApplications');
    const application = findById(tenant, c.req.param('id'));
    const { passwordCredential } = parse(passwordInput, await readJson(c.req.raw));
    const password = newPassword(tenant, passwordCredential?.displayName ?? null);
    saveApplication(tenant, { ...application, passwords: [...application.passwords, password] });
    return c.json({ customKeyIdentifier: null, ...password });
  });
  addKeyRoutes(app, tenant);
  addPrincipalRoutes(app, tenant);
}

/** An application rolls its own keys if it proves that it has one of them. */
function addKeyRoutes(app: GraphApp, tenant: Tenant): void {
  const proved = (c: GraphContext, proof: string): Application => {
    const application = findById(tenant, c.req.param('id') ?? '');
    if (c.get('caller').appId !== application.appId)
      checkPermission(c.get('caller'), 'writeApplications');
    const jwt = verifyAssertion(tenant, application, proof);
    const { aud, iss, exp } = jwt?.payload ?? {};
    const isValid =
      aud === '00000002-0000-0000-c000-000000000000' &&
      iss === application.id &&
      typeof exp === 'number' &&
      exp * 1000 > tenant.now();
    if (!isValid)
      throw new GraphError(
        401,
        'Authentication_MissingOrMalformed',
        'Access token missing or malformed.',
      );
    return application;
  };
  app.post('/applications/:id/addKey', async (c) => {
    const { keyCredential, proof } = parse(addKeyInput, await readJson(c.req.raw));
    const application = proved(c, proof);
    const key = readKey(tenant, keyCredential);
    saveApplication(tenant, { ...application, keys: [...application.keys, key] });
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#microsoft.graph.keyCredential`,
      ...key,
      'key': null,
    });
  });
  app.post('/applications/:id/removeKey', async (c) => {
    const { keyId, proof } = parse(removeKeyInput, await readJson(c.req.raw));
    const application = proved(c, proof);
    const keys = application.keys.filter((key) => key.keyId !== keyId);
    if (keys.length === application.keys.length) throw resourceNotFound(keyId);
    saveApplication(tenant, { ...application, keys });
    return c.body(null, 204);
  });
}

/** Service principals: what an application may do in this tenant. */
function addPrincipalRoutes(app: GraphApp, tenant: Tenant): void {
  app.get('/servicePrincipals', (c) => {
    checkPermission(c.get('caller'), 'readApplications');
    const entities = [graphPrincipal(tenant), ...listApplications(tenant).flatMap(getPrincipal)];
    return c.json(
      pageEntities(tenant, c.req.raw, entities, {
        type: 'servicePrincipal',
        normal: 100,
        max: 999,
      }),
    );
  });
  app.post('/servicePrincipals', async (c) => {
    checkPermission(c.get('caller'), 'writeApplications');
    const { appId } = parse(v.object({ appId: v.string() }), await readJson(c.req.raw));
    const application = findApplication(tenant, appId);
    if (!application)
      throw new GraphError(
        400,
        'Request_BadRequest',
        'The appId does not reference a valid application object.',
      );
    if (application.principalId !== null)
      throw new GraphError(
        409,
        'Request_MultipleObjectsWithSameKeyValue',
        'The service principal already exists.',
      );
    const principalId = getUuid(tenant.seed, 'principal', appId);
    saveApplication(tenant, { ...application, principalId });
    return c.json(getPrincipal({ ...application, principalId })[0], 201);
  });
  app.get('/servicePrincipals/:id', (c) => {
    checkPermission(c.get('caller'), 'readApplications');
    const id = c.req.param('id');
    const entity = [graphPrincipal(tenant), ...listApplications(tenant).flatMap(getPrincipal)].find(
      (principal) => principal['id'] === id,
    );
    if (!entity) throw resourceNotFound(id);
    return c.json(entity);
  });
  app.get('/servicePrincipals/:id/appRoleAssignments', (c) => {
    checkPermission(c.get('caller'), 'readApplications');
    const application = findByPrincipal(tenant, c.req.param('id'));
    const entities = application.roles.map((role) => assignmentEntity(tenant, application, role));
    return c.json(
      pageEntities(tenant, c.req.raw, entities, {
        type: 'appRoleAssignment',
        normal: 100,
        max: 999,
      }),
    );
  });
  const assign = async (c: GraphContext): Promise<Response> => {
    checkPermission(c.get('caller'), 'grantRoles');
    const input = parse(assignmentInput, await readJson(c.req.raw));
    const application = findByPrincipal(tenant, input.principalId);
    const role = Object.entries(APP_ROLES).find(([, id]) => id === input.appRoleId)?.[0];
    if (role === undefined || input.resourceId !== graphPrincipal(tenant)['id'])
      throw new GraphError(
        400,
        'Request_BadRequest',
        'Permission being assigned was not found on application.',
      );
    if (application.roles.includes(role))
      throw new GraphError(
        400,
        'Request_BadRequest',
        'Permission being assigned already exists on the object',
      );
    saveApplication(tenant, { ...application, roles: [...application.roles, role] });
    return c.json(assignmentEntity(tenant, application, role), 201);
  };
  app.post('/servicePrincipals/:id/appRoleAssignments', assign);
  app.post('/servicePrincipals/:id/appRoleAssignedTo', assign);
  app.delete('/servicePrincipals/:id/appRoleAssignments/:assignment', (c) => {
    checkPermission(c.get('caller'), 'grantRoles');
    const application = findByPrincipal(tenant, c.req.param('id'));
    const roles = application.roles.filter(
      (role) => assignmentEntity(tenant, application, role)['id'] !== c.req.param('assignment'),
    );
    saveApplication(tenant, { ...application, roles });
    return c.body(null, 204);
  });
}

/** @throws GraphError 404 */
function findById(tenant: Tenant, id: string): Application {
  const application = listApplications(tenant).find((one) => one.id === id);
  if (!application) throw resourceNotFound(id);
  return application;
}

function findByPrincipal(tenant: Tenant, id: string): Application {
  const application = listApplications(tenant).find((one) => one.principalId === id);
  if (!application) throw resourceNotFound(id);
  return application;
}

function change(
  tenant: Tenant,
  application: Application,
  input: v.InferOutput<typeof applicationInput>,
): Application {
  const changed: Application = {
    ...application,
    displayName: input.displayName ?? application.displayName,
    requiredResourceAccess: input.requiredResourceAccess ?? application.requiredResourceAccess,
    keys: input.keyCredentials
      ? input.keyCredentials.map((key) =>
          'key' in key ? readKey(tenant, key) : knownKey(application, key.keyId),
        )
      : application.keys,
  };
  saveApplication(tenant, changed);
  return changed;
}

/** Keys that stay are sent back by their id. */
function knownKey(application: Application, keyId: string): KeyCredential {
  const key = application.keys.find((one) => one.keyId === keyId);
  if (!key) throw badRequest(`The key '${keyId}' does not exist.`);
  return key;
}

function readKey(tenant: Tenant, input: v.InferOutput<typeof keyInput>): KeyCredential {
  try {
    return keyOfCertificate(tenant, Buffer.from(input.key, 'base64'), input.displayName ?? null);
  } catch {
    throw new GraphError(
      400,
      'KeyCredentialsInvalidEncoding',
      'Key credential value must be a certificate.',
    );
  }
}

function applicationEntity(tenant: Tenant, application: Application): GraphEntity {
  return {
    id: application.id,
    deletedDateTime: null,
    appId: application.appId,
    createdDateTime: application.createdDateTime,
    displayName: application.displayName,
    identifierUris: [],
    isFallbackPublicClient: application.isPublic,
    publisherDomain: tenant.domain,
    signInAudience: 'AzureADMyOrg',
    tags: [],
    requiredResourceAccess: application.requiredResourceAccess,
    keyCredentials: application.keys.map((key) => ({ ...key, key: null })),
    passwordCredentials: application.passwords.map((password) => ({
      customKeyIdentifier: null,
      ...password,
      secretText: null,
    })),
  };
}

const getPrincipal = (application: Application): GraphEntity[] =>
  application.principalId === null
    ? []
    : [
        {
          id: application.principalId,
          deletedDateTime: null,
          accountEnabled: true,
          appDisplayName: application.displayName,
          appId: application.appId,
          appRoles: [],
          displayName: application.displayName,
          servicePrincipalType: 'Application',
          tags: [],
        },
      ];

const graphPrincipal = (tenant: Tenant): GraphEntity => ({
  id: getUuid(tenant.seed, 'principal', GRAPH_APP_ID),
  deletedDateTime: null,
  accountEnabled: true,
  appDisplayName: 'Microsoft Graph',
  appId: GRAPH_APP_ID,
  appRoles: Object.entries(APP_ROLES).map(([value, id]) => ({
    id,
    allowedMemberTypes: ['Application'],
    description: value,
    displayName: value,
    isEnabled: true,
    origin: 'Application',
    value,
  })),
  displayName: 'Microsoft Graph',
  servicePrincipalType: 'Application',
  tags: [],
});

const assignmentEntity = (tenant: Tenant, application: Application, role: string): GraphEntity => ({
  id: Buffer.from(`${application.principalId}:${role}`).toString('base64url'),
  deletedDateTime: null,
  appRoleId: APP_ROLES[role] ?? getUuid('role', role),
  createdDateTime: application.createdDateTime,
  principalDisplayName: application.displayName,
  principalId: application.principalId,
  principalType: 'ServicePrincipal',
  resourceDisplayName: 'Microsoft Graph',
  resourceId: graphPrincipal(tenant)['id'],
});
