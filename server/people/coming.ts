import { CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { adminCalls } from '#contract/admin/admin-calls.ts';
import { notificationCalls } from '#contract/account/notification-calls.ts';
import { brandEditCalls } from '#contract/brand/brand-edit-calls.ts';
import { companyCalls } from '#contract/people/company-calls.ts';
import { logCalls } from '#contract/people/log-calls.ts';
import { providerCalls } from '#contract/people/provider-calls.ts';
import { userCalls } from '#contract/people/user-calls.ts';
import { failed } from '#contract/result.ts';
import { busyFor, refuse } from '../http/envelope.ts';
import type { Handlers } from '../http/handler.ts';

const calls = { ...adminCalls, ...notificationCalls, ...brandEditCalls, ...companyCalls, ...logCalls, ...providerCalls, ...userCalls };
export const comingHandlers = Object.fromEntries(Object.keys(calls).map((name) =>
  [name, async () => (CALLS[name as CallName].gives === 'bytes' ? refuse(busyFor(1_000)) : failed(busyFor(1_000)))])) as unknown as Pick<Handlers, keyof typeof calls>;
