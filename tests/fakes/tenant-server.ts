import { type ServerType, serve } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { type DemoTenant, createDemoTenant } from '#server/demo/tenant/tenant.ts';

/**
 * Serves a demo tenant over a socket: each host of the cloud is a folder of one address, as
 * `http://127.0.0.1:4000/graph.microsoft.com/v1.0/users`. Links in its answers lead there too.
 */
export async function serveTenant(
  options: Omit<Parameters<typeof createDemoTenant>[0], 'origin'>,
): Promise<{ readonly tenant: DemoTenant; readonly origin: (host: string) => string }> {
  let base = '';
  const origin = (host: string): string => `${base}/${host}`;
  const tenant = createDemoTenant({ ...options, origin });
  const server = await new Promise<ServerType>((resolve) => {
    const started = serve(
      { port: 0, hostname: '127.0.0.1', fetch: (request) => tenant.fetch(toCloud(request)) },
      ({ port }) => {
        base = `http://127.0.0.1:${port}`;
        resolve(started);
      },
    );
  });
  onTestFinished(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
    });
    tenant.close();
  });
  return { tenant, origin };
}

/** Returns the request as the cloud's host gets it. */
function toCloud(request: Request): Request {
  const { pathname, search } = new URL(request.url);
  const [, host = '', ...path] = pathname.split('/');
  return new Request(`https://${host}/${path.join('/')}${search}`, {
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    redirect: 'manual',
    ...(request.body ? { duplex: 'half' } : {}),
  });
}
