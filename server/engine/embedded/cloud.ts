import type { AppContext } from '#server/platform/app-context.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { outboundStream } from '#server/platform/outbound/stream.ts';
import { CLOUDS, isCloudHost } from './graph/clouds.ts';
import type { Fetch } from './graph/request.ts';
import { outboundMessages } from '#server/platform/outbound/messages.en.ts';

/** The way to Microsoft's clouds. The demo connects it to its own tenant instead. */
export interface CloudConnection {
  readonly fetch: Fetch;
  connectTo(fetch: Fetch): void;
}

export function makeCloudConnection(context: () => AppContext): CloudConnection {
  let send: Fetch | null = null;
  const connect = (): Fetch => {
    const { graph = null } = context().config;
    if (graph !== null) return through(context(), new URL(graph));
    const outbound = outboundStream(context(), isMicrosoft);
    return (request) => outbound.fetch(request);
  };
  return {
    fetch: (request) => (send ??= connect())(request),
    connectTo(fetch) {
      send = fetch;
    },
  };
}

const isMicrosoft = (host: string): boolean =>
  Object.values(CLOUDS).some((cloud) => isCloudHost(cloud, host));

/**
 * Sends what is meant for Microsoft's clouds to a gateway, with the host that it is meant for. Requests
 * for other hosts are refused as without one (G70).
 */
function through(context: AppContext, gateway: URL): Fetch {
  const outbound = outboundStream(context, (host) => host === gateway.hostname);
  return async (request) => {
    const url = new URL(request.url);
    if (url.protocol !== 'https:' || url.port !== '' || !isMicrosoft(url.hostname))
      throw new OutboundError('refused', outboundMessages.wrongHost({ host: url.hostname }));
    const forwarded = new Request(new URL(`${url.pathname}${url.search}`, gateway), request);
    forwarded.headers.set('x-forwarded-host', url.hostname);
    return outbound.fetch(forwarded);
  };
}
