import { PLAIN_BRANDING } from '#contract/branding/branding.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { STATUS_OF } from '#contract/errors.ts';
import type { Failure } from '#contract/errors.ts';

/** What the server in memory answers, and the provider that it serves. */

export const TENANT = '00000000-0000-4000-8000-00000000000f';
export const BRANDING: Branding = {
  id: TENANT,
  name: 'Test',
  title: 'Test',
  favIconUrl: null,
  apiUrl: '',
  domain: 'test',
  sidebarLogoUrl: null,
  sidebarLogoWidth: null,
  sidebarLogoHeight: null,
  sidebarTitle: 'Test',
  supportEmail: null,
  supportPhone: null,
  authType: 'db',
  isStripeEnabled: false,
  accent: null,
  accentDark: null,
  sidebar: null,
  sidebarDark: null,
  timeZone: 'UTC',
  dayBeginsHour: 0,
  offlineDays: 7,
  ...PLAIN_BRANDING,
};
export const answer = (status: number, body: unknown): Response => Response.json(body, { status });
export const withCookie = (answer: Response, cookie: string): Response => {
  answer.headers.set('sim-cookie', cookie);
  return answer;
};
export const good = (data: unknown): Response => answer(200, { success: true, data });
export const refusal = ({ message, ...error }: Failure): { status: number; answer: unknown } => ({
  status: (STATUS_OF as Record<string, number>)[error.kind] ?? 500,
  answer: { success: false, message, error },
});
export const bad = (failure: Failure): Response =>
  answer(refusal(failure).status, refusal(failure).answer);
