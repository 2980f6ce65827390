/**
 * Preloaded into a server (`node --import`) for comparison: it holds any number of bytes of request
 * bodies at one time.
 */
import { LIMITS } from '#contract/limits.ts';

Object.assign(LIMITS, {
  bodyBytesAtOnce: Infinity,
  strangerBodyBytesAtOnce: Infinity,
  addressBodyBytesAtOnce: Infinity,
  providerBodyBytesAtOnce: Infinity,
  callerBodyBytesAtOnce: Infinity,
});
