import { createPrivateKey, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { PUBLIC_CLIENT_ID } from '#server/demo/tenant/applications.ts';
import { checkEntity } from '../../fakes/graph-schema.ts';
import { makeCertificate, noOpenssl } from './certificate.ts';
import { type Answer, aCloud, postForm } from './fixtures.ts';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signJwt = (payload: unknown, key: string): string => {
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(payload)}`;
  return `${text}.${sign('sha256', Buffer.from(text), createPrivateKey(key)).toString('base64url')}`;
};

/** An administrator's session by device code. */
async function anAdministrator() {
  const cloud = await aCloud();
  const { tenant } = cloud;
  const { body: code } = await postForm(tenant, 'organizations/oauth2/v2.0/devicecode', {
    client_id: PUBLIC_CLIENT_ID,
    scope: 'Application.ReadWrite.All AppRoleAssignment.ReadWrite.All',
  });
  tenant.admin.approveDeviceCode(code.user_code, tenant.admin.listUsers()[0]?.id ?? '');
  const { body } = await postForm(tenant, 'organizations/oauth2/v2.0/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: PUBLIC_CLIENT_ID,
    device_code: code.device_code,
  });
  const send = (
    method: string,
    path: string,
    json?: object,
    token: string = body.access_token,
  ): Promise<Answer> =>
    cloud.call(path, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(json ? { body: JSON.stringify(json) } : {}),
    });
  return { ...cloud, send };
}

test.skipIf(noOpenssl !== '')(
  `GRAPH-13: an administrator registers an application with a certificate and consents to roles${noOpenssl}`,
  async () => {
    const { tenant, clock, send } = await anAdministrator();
    const { der, key } = makeCertificate();
    const { body: graph } = await send(
      'GET',
      "/servicePrincipals?$filter=appId eq '00000003-0000-0000-c000-000000000000'",
    );
    const resource = graph.value[0];
    expect(checkEntity('servicePrincipal', resource)).toEqual([]);
    const mailRead = resource.appRoles.find(
      ({ value }: { value: string }) => value === 'Mail.Read',
    );
    expect(mailRead.id).toBe('810c84a8-4a9e-49e6-bf7d-12d183f40d01');
    const created = await send('POST', '/applications', {
      displayName: 'Daybook backup',
      requiredResourceAccess: [
        { resourceAppId: resource.appId, resourceAccess: [{ id: mailRead.id, type: 'Role' }] },
      ],
      keyCredentials: [
        { type: 'AsymmetricX509Cert', usage: 'Verify', key: der.toString('base64') },
      ],
    });
    expect(created.status).toBe(201);
    expect(checkEntity('application', created.body)).toEqual([]);
    expect(created.body.keyCredentials).toMatchObject([{ key: null }]);
    const principal = await send('POST', '/servicePrincipals', { appId: created.body.appId });
    expect(checkEntity('servicePrincipal', principal.body)).toEqual([]);
    const token = async (): Promise<string> => {
      const seconds = clock.now / 1000;
      const { body } = await postForm(tenant, `${tenant.id}/oauth2/v2.0/token`, {
        grant_type: 'client_credentials',
        client_id: created.body.appId,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: signJwt(
          {
            aud: `https://login.microsoftonline.com/${tenant.id}/oauth2/v2.0/token`,
            iss: created.body.appId,
            sub: created.body.appId,
            exp: seconds + 300,
          },
          key,
        ),
        scope: 'https://graph.microsoft.com/.default',
      });
      return body.access_token;
    };
    const user = tenant.admin.listUsers().find(({ mailbox }) => mailbox === 'user');
    const path = `/users/${user?.id}/mailFolders`;
    expect(await send('GET', path, undefined, await token())).toMatchObject({ status: 403 });
    const assignment = {
      principalId: principal.body.id,
      resourceId: resource.id,
      appRoleId: mailRead.id,
    };
    const granted = await send(
      'POST',
      `/servicePrincipals/${principal.body.id}/appRoleAssignments`,
      assignment,
    );
    expect(granted.status).toBe(201);
    expect(checkEntity('appRoleAssignment', granted.body)).toEqual([]);
    expect(await send('GET', path, undefined, await token())).toMatchObject({ status: 200 });

    // It rolls its certificate by proving that it has the former one.
    const next = makeCertificate();
    const proof = (by: string) =>
      signJwt(
        {
          aud: '00000002-0000-0000-c000-000000000000',
          iss: created.body.id,
          nbf: clock.now / 1000,
          exp: clock.now / 1000 + 600,
        },
        by,
      );
    const added = {
      keyCredential: {
        type: 'AsymmetricX509Cert',
        usage: 'Verify',
        key: next.der.toString('base64'),
      },
      passwordCredential: null,
    };
    const own = await token();
    expect(
      await send(
        'POST',
        `/applications/${created.body.id}/addKey`,
        { ...added, proof: proof(next.key) },
        own,
      ),
    ).toMatchObject({ status: 401 });
    const key2 = await send(
      'POST',
      `/applications/${created.body.id}/addKey`,
      { ...added, proof: proof(key) },
      own,
    );
    expect(key2.status).toBe(200);
    expect(checkEntity('keyCredential', key2.body)).toEqual([]);
    const removed = await send(
      'POST',
      `/applications/${created.body.id}/removeKey`,
      { keyId: created.body.keyCredentials[0].keyId, proof: proof(next.key) },
      own,
    );
    expect(removed.status).toBe(204);
    expect(await token()).toBeUndefined();
    await send(
      'DELETE',
      `/servicePrincipals/${principal.body.id}/appRoleAssignments/${granted.body.id}`,
    );
    expect(
      (await send('GET', `/servicePrincipals/${principal.body.id}/appRoleAssignments`)).body.value,
    ).toEqual([]);
  },
);

test('GRAPH-13: only administrators can consent, and only to roles that exist', async () => {
  const { send, client, call, tenant } = await anAdministrator();
  const { body: created } = await send('POST', '/applications', { displayName: 'Other' });
  const { body: principal } = await send('POST', '/servicePrincipals', { appId: created.appId });
  const assignment = {
    principalId: principal.id,
    resourceId: principal.id,
    appRoleId: principal.id,
  };
  const path = `/servicePrincipals/${principal.id}/appRoleAssignments`;
  expect(await send('POST', path, assignment)).toMatchObject({ status: 400 });
  expect(await call(path, { method: 'POST', body: JSON.stringify(assignment) })).toMatchObject({
    status: 403,
    body: { error: { code: 'Authorization_RequestDenied' } },
  });
  expect(
    await call('/applications', { method: 'POST', body: '{"displayName":"x"}' }),
  ).toMatchObject({ status: 403 });
  const password = await send('POST', `/applications/${created.id}/addPassword`, {});
  expect(checkEntity('passwordCredential', password.body)).toEqual([]);
  expect((await send('GET', `/applications/${created.id}`)).body.passwordCredentials).toMatchObject(
    [{ secretText: null }],
  );
  expect(await send('DELETE', `/applications/${created.id}`)).toMatchObject({ status: 204 });
  expect(await send('GET', `/applications/${created.id}`)).toMatchObject({ status: 404 });
  expect(tenant.admin.findApplication(client.appId)).not.toBeNull();
});
