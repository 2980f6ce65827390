import type { Context } from 'hono';
import { digest, isoTime } from './ids.ts';
import type { Ms } from '#contract/ids.ts';

type Status =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 409
  | 410
  | 412
  | 416
  | 423
  | 429
  | 500
  | 501
  | 503
  | 507;

/** A request that the cloud refuses, with the status and code that Graph publishes for it. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
  readonly status: Status;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A more precise code, in `innerError`. */
  readonly innerCode: string | null;

  constructor(
    status: Status,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    innerCode: string | null = null,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.innerCode = innerCode;
  }
}

export const badRequest = (message: string): GraphError =>
  new GraphError(400, 'BadRequest', message);
export const objectNotFound = (message = 'The specified object was not found in the store.') =>
  new GraphError(404, 'ErrorItemNotFound', message);
export const itemNotFound = (): GraphError =>
  new GraphError(404, 'itemNotFound', 'The resource could not be found.');
export const resourceNotFound = (id: string): GraphError =>
  new GraphError(
    404,
    'Request_ResourceNotFound',
    `Resource '${id}' does not exist or one of its queried reference-property objects are not present.`,
  );

/** Returns the error's answer in Graph's form. */
export function errorResponse(c: Context, error: GraphError, now: Ms): Response {
  const requestId = digest(c.req.method, c.req.url, now).toString('hex').slice(0, 32);
  const innerError = {
    ...(error.innerCode === null ? {} : { code: error.innerCode }),
    'date': isoTime(now).slice(0, 19),
    'request-id': requestId,
    'client-request-id': c.req.header('client-request-id') ?? requestId,
  };
  return c.json(
    { error: { code: error.code, message: error.message, innerError } },
    error.status,
    error.headers,
  );
}
