import type { EngineResult } from '#contract/engine/engine.ts';
import * as v from 'valibot';
import type { Chance } from '#server/platform/app-context.ts';
import { randomPolynomial } from './polynomial.ts';
import { failed, ok } from '../../result.ts';
import { resticMessages as t } from './messages.en.ts';

/** restic's config. Only format 2 has compression. */
export interface ResticConfig {
  readonly id: string;
  /** Of restic's own chunker. It is random and secret, so it also seeds ours. */
  readonly polynomial: string;
}

export const createConfig = (chance: Chance): ResticConfig => ({
  id: Buffer.from(chance.bytes(32)).toString('hex'),
  polynomial: randomPolynomial(chance).toString(16),
});

export const encodeConfig = ({ id, polynomial }: ResticConfig): string =>
  JSON.stringify({ version: 2, id, chunker_polynomial: polynomial });

export function decodeConfig(document: unknown): EngineResult<ResticConfig> {
  const parsed = v.safeParse(CONFIG, document);
  if (!parsed.success) return failed('damaged', t.configInvalid);
  const { version, id, chunker_polynomial: polynomial } = parsed.output;
  return version === 2
    ? ok({ id, polynomial })
    : failed('unsupported', t.formatUnsupported({ version: String(version) }));
}

const CONFIG = v.object({
  version: v.number(),
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  chunker_polynomial: v.pipe(v.string(), v.regex(/^[0-9a-f]{1,16}$/)),
});
