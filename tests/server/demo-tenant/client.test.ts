import * as v from 'valibot';
import { expect, test } from 'vitest';
import { PUBLIC_CLIENT_ID } from '#server/demo/tenant/applications.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { readBatch } from '#server/engine/embedded/graph/batch.ts';
import { createCertificate } from '#server/engine/embedded/graph/certificate.ts';
import type { GraphPage } from '#server/engine/embedded/graph/client.ts';
import { CLOUDS } from '#server/engine/embedded/graph/clouds.ts';
import { checkDeviceCode, requestDeviceCode } from '#server/engine/embedded/graph/device-code.ts';
import { download } from '#server/engine/embedded/graph/download.ts';
import type { GraphResult } from '#server/engine/embedded/graph/request.ts';
import { applicationTokens } from '#server/engine/embedded/graph/tokens.ts';
import { upload } from '#server/engine/embedded/graph/upload.ts';
import { systemChance } from '#server/platform/random.ts';
import { seeded, testClock, testGraph } from '../engine/graph/fixtures.ts';
import { NOON } from './fixtures.ts';

const Row = v.looseObject({ id: v.string() });

/** Bytes of a source that comes in pieces. */
async function* getPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

/** Content of the listed length needs no other check. */
const rejectCheck = () => Promise.reject(new Error('Asked whether the file has changed.'));

test('GRAPH-16: the client of the engine signs in, reads, downloads and uploads, also while requests fail', async () => {
  const clock = testClock(NOON);
  const tenant = createDemoTenant({
    file: null,
    seed: 7,
    now: () => clock.now(),
    size: {
      people: 6,
      minMails: 30,
      maxMails: 40,
      minFiles: 10,
      maxFiles: 12,
      maxFileBytes: 300_000,
    },
  });
  const { admin } = tenant;
  const login = { fetch: tenant.fetch, cloud: CLOUDS.Worldwide, clock, random: seeded(2) };

  const request = {
    directory: 'organizations',
    applicationId: PUBLIC_CLIENT_ID,
    permissions: ['User.Read.All'],
  };
  const code = await requestDeviceCode(login, request);
  if (!code.ok) throw new Error(code.error.message);
  const check = () => checkDeviceCode(login, request, code.value.deviceCode);
  expect(await check()).toEqual({ ok: true, value: { state: 'pending' } });
  admin.approveDeviceCode(code.value.userCode, admin.listUsers()[0]?.id ?? '');
  expect(await check()).toMatchObject({ ok: true, value: { state: 'granted' } });

  const certificate = await createCertificate(systemChance, NOON, { name: 'Backup', days: 365 });
  const { appId } = admin.registerApplication('Backup', [
    'User.Read.All',
    'Mail.Read',
    'Files.ReadWrite.All',
  ]);
  admin.addCertificate(appId, Buffer.from(certificate.der, 'base64'));
  const tokens = applicationTokens(login, {
    directory: tenant.id,
    applicationId: appId,
    credential: { kind: 'certificate', ...certificate },
  });
  const graph = testGraph(tenant.fetch, { clock, tokens });
  admin.setFailurePlan([
    { path: /^graph|sharepoint/, probability: 0.12, failure: 'throttled' },
    { path: /^graph|sharepoint/, probability: 0.08, failure: 'busy' },
    { path: /^graph/, probability: 0.03, failure: 'expired' },
    { path: /download\.aspx/, probability: 0.3, failure: 'cut' },
    { path: /^graph/, method: 'GET', probability: 0.05, failure: 'reset' },
  ]);

  const user =
    admin.listUsers().find(({ mailbox, hasDrive }) => mailbox === 'user' && hasDrive)?.id ?? '';
  const ids: string[] = [];
  let next: string | null = `/users/${user}/mailFolders/inbox/messages/delta?$select=subject`;
  while (next !== null) {
    const page: GraphResult<GraphPage<v.InferOutput<typeof Row>>> = await graph.client.page(
      next,
      Row,
    );
    if (!page.ok) throw new Error(page.error.message);
    ids.push(...page.value.rows.map(({ id }) => id));
    ({ next } = page.value);
  }
  expect(ids.toSorted()).toEqual(
    admin
      .listMessages(user, 'inbox')
      .map(({ id }) => id)
      .toSorted(),
  );
  const mimes = await readBatch(
    graph.client,
    ids.map((id) => ({ path: `/users/${user}/messages/${id}/$value` })),
  );
  expect(mimes.map(({ ok }) => ok)).toEqual(ids.map(() => true));

  const drive = await graph.client.get(`/users/${user}/drive`, Row);
  if (!drive.ok) throw new Error(drive.error.message);
  const scope = graph.clientFor({ service: 'drive', object: drive.value.id }).scope;
  const readFile = async (id: string, bytes: number): Promise<Buffer> => {
    const pieces: Uint8Array[] = [];
    const link = () => graph.client.location(`/drives/${drive.value.id}/items/${id}/content`);
    const input = { link, bytes, hash: null, isUnchanged: rejectCheck };
    for await (const piece of download(graph.ports, scope, input)) {
      if (!piece.ok) throw new Error(piece.error.message);
      pieces.push(piece.value);
    }
    return Buffer.concat(pieces);
  };
  for (const { id, size } of admin.listFiles(user))
    expect(await readFile(id, size)).toHaveLength(size);

  const content = Uint8Array.from({ length: 700_000 }, (_, at) => (at * 7) & 255);
  const session = await graph.client.post(
    `/drives/${drive.value.id}/root:/Large.bin:/createUploadSession`,
    {},
    v.object({ uploadUrl: v.string() }),
    { isRepeatable: true },
  );
  if (!session.ok) throw new Error(session.error.message);
  const sent = await upload(
    graph.ports,
    scope,
    {
      uploadUrl: session.value.uploadUrl,
      bytes: content.length,
      content: getPieces(content),
      fragmentBytes: 327_680,
    },
    Row,
  );
  if (!sent.ok) throw new Error(sent.error.message);
  expect((await readFile(sent.value.id, content.length)).equals(content)).toBe(true);
  expect(admin.requests().filter(({ status }) => status === 429).length).toBeGreaterThan(1);
  tenant.close();
});
