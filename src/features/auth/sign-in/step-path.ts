import type { Method, SignInStep } from '#contract/auth/sign-in-step.ts';

/** The pages of the steps after the password. */
const PATHS = {
  sms: '/sms-verification',
  other: '/verification',
  phone: '/phone',
  enrol: '/enrol',
} as const;
export type StepPath = (typeof PATHS)[keyof typeof PATHS];

/** The page of a step: of its best way, or `at` where that is a page of another of its ways. */
export function pathOf(
  { step, methods }: Pick<SignInStep, 'step' | 'methods'>,
  at?: string,
): StepPath {
  if (step !== 'code') return PATHS[step];
  if (at === PATHS.sms && methods.includes('sms')) return PATHS.sms;
  if (at === PATHS.other && othersOf(methods).length > 0) return PATHS.other;
  return methods[0] === 'sms' ? PATHS.sms : PATHS.other;
}

/** The ways that are shown on one page; the code by SMS has its own. */
export const othersOf = (methods: readonly Method[]): readonly Exclude<Method, 'sms'>[] =>
  methods.filter((method) => method !== 'sms');
