import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryConnection } from '#server/features/connections/try-connection.ts';
import { fetchOutbound } from '#server/platform/outbound/fetch.ts';
import { makeFixture } from '../http/fixtures.ts';
import { HERE } from './outside.ts';

const openssl = spawnSync('openssl', ['version']).status === 0 ? '' : ' (skipped: no openssl)';

function madeIn(folder: string, name: string): { readonly key: string; readonly cert: string } {
  const file = (end: string): string => join(folder, `${name}.${end}`);
  spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    file('key'),
    '-out',
    file('pem'),
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
  ]);
  return { key: readFileSync(file('key'), 'utf8'), cert: readFileSync(file('pem'), 'utf8') };
}

test.skipIf(openssl !== '')(
  `OUTB-3: a pinned certificate is trusted, whatever host it names, and no other is${openssl}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-pin-'));
    const own = madeIn(folder, 'vbr-1');
    const other = madeIn(folder, 'vbr-1');
    let heard = 0;
    const server = createServer(own, (_, response) => {
      heard += 1;
      response.end('{"data":[],"pagination":{"total":3}}');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const { context } = await makeFixture(HERE);
      const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      expect(
        await (await fetchOutbound(context, address, { certificate: own.cert })).text(),
      ).toContain('total');
      for (const certificate of [null, other.cert])
        await expect(fetchOutbound(context, address, { certificate })).rejects.toThrow(
          'The certificate of 127.0.0.1 is not trusted',
        );
      await expect(fetchOutbound(context, address, { certificate: 'nonsense' })).rejects.toThrow(
        "The certificate can't be read.",
      );
      expect(heard).toBe(1);
      // What it shows is told to who tries the connection, and nothing was said to it by then.
      const credentials = { kind: 'key', secret: 'k' } as const;
      const tried = await tryConnection(context, 'vspc', {
        address,
        certificate: null,
        credentials,
      });
      expect([tried.ok, tried.seen?.certificate.trim(), tried.seen?.subject]).toEqual([
        false,
        own.cert.trim(),
        'CN=vbr-1',
      ]);
      expect(heard).toBe(1);
      expect(
        await tryConnection(context, 'vspc', {
          address,
          certificate: tried.seen?.certificate ?? '',
          credentials,
        }),
      ).toMatchObject({ ok: true });
    } finally {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    }
  },
);
