import { stripePageMessages as t } from './messages.en.ts';

/** Answers as Stripe gives them. */
export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'request-id': 'req_standin' },
  });
export const problem = (status: number, message: string, more: object = {}): Response =>
  json({ error: { type: 'invalid_request_error', message, ...more } }, status);
export const missing = (): Response => problem(404, t.noSuchObject);
