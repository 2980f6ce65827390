import * as v from 'valibot';

/** A certificate that a system presented and that isn't trusted, for a person to compare and pin. */
export const shownCertificate = v.object({
  certificate: v.string(),
  /** SHA-256. */
  fingerprint: v.string(),
  /** SHA-1, as Windows shows it. */
  thumbprint: v.string(),
  subject: v.string(),
  until: v.number(),
});
export type ShownCertificate = v.InferOutput<typeof shownCertificate>;
