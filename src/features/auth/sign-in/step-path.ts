import type { Method, SignInStep } from '#contract/auth/sign-in-step.ts';

/** Paths of the steps after the password. */
const PATHS = {
  sms: '/sms-verification',
  other: '/verification',
  phone: '/phone',
  enrol: '/enrol',
} as const;
export type StepPath = (typeof PATHS)[keyof typeof PATHS];

/**
 * Returns the page of a step: of its preferred method, or `at` if that is the page of another
 * allowed method.
 */
export function getStepPath(
  { step, methods }: Pick<SignInStep, 'step' | 'methods'>,
  at?: string,
): StepPath {
  if (step !== 'code') return PATHS[step];
  if (at === PATHS.sms && methods.includes('sms')) return PATHS.sms;
  if (at === PATHS.other && listOtherMethods(methods).length > 0) return PATHS.other;
  return methods[0] === 'sms' ? PATHS.sms : PATHS.other;
}

/** Methods that share one page; the SMS code has its own. */
export const listOtherMethods = (methods: readonly Method[]): readonly Exclude<Method, 'sms'>[] =>
  methods.filter((method) => method !== 'sms');
