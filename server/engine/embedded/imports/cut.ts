import { describeOutboundError, isCertificateError } from '#server/platform/outbound/error.ts';
import type { CutStep } from './archives/read-archive.ts';
import { importMessages as t } from './messages.en.ts';

/** Codes of a cut whose message is a sentence: the server doesn't connect there, or couldn't. */
export const REFUSED = 'refused-here';
export const SAID = 'said';

export const refuseCut = (message: string): CutStep => ({ kind: 'cut', code: REFUSED, message });

/** Returns a sentence without anything that was sent or received. */
export function describeCut(cut: CutStep, host: string): string {
  if (cut.code === REFUSED || cut.code === SAID) return cut.message;
  return cut.code === 'ENODAV' ? t.noWebdavServer({ host }) : describeOutboundError(cut, host);
}

/** Whether trying again changes nothing. */
export const isFinalCut = (cut: CutStep): boolean =>
  [REFUSED, 'EAUTH', 'ETLS', 'ENODAV'].includes(cut.code) || isCertificateError(cut);
