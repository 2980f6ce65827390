import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { RequestKind, S3Address, S3Keys } from '#contract/engine/repositories.ts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { fetchOutbound, makeConnections } from '#server/platform/outbound/fetch.ts';

const ATTEMPTS = 5;
const CONNECTIONS = 16;
/** Without a byte sent or received. A pack may take as long as a slow line needs. */
const PAUSE_MS: Ms = 120_000;
const MAX_BYTES = 256 * 1_048_576;

export type Sdk = typeof import('@aws-sdk/client-s3');

/**
 * Returns a client whose requests go through the outbound guard: only to addresses that the operator
 * allows, and with the pinned certificate if there is one. The SDK signs and retries them.
 */
export function makeS3Client(
  context: AppContext,
  {
    endpoint,
    region,
    certificate,
    accessKeyId,
    secretAccessKey,
    onRequest,
    onTime,
  }: S3Address &
    S3Keys & {
      readonly onRequest: (kind: RequestKind) => void;
      /** The time of the storage, in each answer. */
      readonly onTime: (at: Ms) => void;
    },
  { S3Client: Client }: Sdk,
): S3Client {
  const connections = makeConnections(CONNECTIONS);
  return new Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: ATTEMPTS,
    // Many kinds of storage refuse checksums that the API doesn't require.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      async handle(request: OutgoingRequest) {
        onRequest(getRequestKind(request));
        const { status, headers, body } = await send(request);
        const at = Date.parse(headers.get('date') ?? '');
        if (!Number.isNaN(at)) onTime(at);
        return { response: { statusCode: status, headers: Object.fromEntries(headers), body } };
      },
      updateHttpClientConfig: () => undefined,
      httpHandlerConfigs: () => ({}),
    },
  });

  async function send({
    method,
    protocol,
    hostname,
    port,
    path,
    query = {},
    headers,
    body,
  }: OutgoingRequest) {
    const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        [value ?? ''].flat().map((one): [string, string] => [name, one]),
      ),
    );
    // Signed as RFC 3986 writes it: a space is %20.
    url.search = search.toString().replaceAll('+', '%20');
    try {
      const response = await fetchOutbound(context, url, {
        method,
        headers,
        body: body ?? null,
        timeoutMs: PAUSE_MS,
        isLarge: true,
        maxBytes: MAX_BYTES,
        certificate,
        connections,
      });
      return {
        status: response.status,
        headers: response.headers,
        body: Readable.from([Buffer.from(await response.arrayBuffer())]),
      };
    } catch (error) {
      // The SDK tries again what is marked so.
      throw error instanceof OutboundError && error.kind === 'unreachable'
        ? Object.assign(error, { $retryable: {} })
        : error;
    }
  }
}

/** What is used of the SDK's requests. Their bodies are bytes, since only bytes are given to it. */
interface OutgoingRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

function getRequestKind({ method, query = {} }: OutgoingRequest): RequestKind {
  if (method === 'DELETE') return 'delete';
  return method === 'GET' && !('list-type' in query || 'versions' in query) ? 'read' : 'write';
}
