import type { AppContext } from '#server/platform/app-context.ts';
import { outboundStream } from '#server/platform/outbound/stream.ts';
import { CLOUDS, isCloudHost } from './graph/clouds.ts';
import type { Fetch } from './graph/request.ts';

/** The way to Microsoft's clouds. The demo connects it to its own tenant instead. */
export interface CloudConnection {
  readonly fetch: Fetch;
  connectTo(fetch: Fetch): void;
}

export function makeCloudConnection(world: () => AppContext): CloudConnection {
  let send: Fetch | null = null;
  const connect = (): Fetch => {
    const outbound = outboundStream(world(), (host) =>
      Object.values(CLOUDS).some((cloud) => isCloudHost(cloud, host)),
    );
    return (request) => outbound.fetch(request);
  };
  return {
    fetch: (request) => (send ??= connect())(request),
    connectTo(fetch) {
      send = fetch;
    },
  };
}
