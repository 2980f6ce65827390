import * as v from 'valibot';
import { nameText } from '#contract/text-schema.ts';
import { BUILT_IN } from './platform/jobs/places.ts';
import { proxyCommandMessages as t } from './proxy.messages.en.ts';

/** `pool` undefined: the pool doesn't change. */
export interface ProxyOptions {
  readonly name: string;
  readonly pool: string | undefined;
}

/**
 * Reads the options of the command, which override DAYBOOK_PROXY_NAME and DAYBOOK_PROXY_POOL. Returns a
 * sentence if one is wrong.
 */
export function readProxyOptions(
  values: Partial<Readonly<Record<'name' | 'pool', string>>>,
  env: Readonly<Record<string, string | undefined>>,
): ProxyOptions | string {
  const get = (option: 'name' | 'pool'): string | undefined =>
    values[option] ?? (env[`DAYBOOK_PROXY_${option.toUpperCase()}`]?.trim() || undefined);
  const name = v.safeParse(nameText(), get('name') ?? '');
  if (!name.success) return t.nameWrong;
  if (name.output.toLowerCase() === BUILT_IN.toLowerCase())
    return t.reservedName({ name: BUILT_IN });
  const pool = get('pool');
  if (pool === undefined) return { name: name.output, pool };
  const named = v.safeParse(nameText(), pool);
  return named.success ? { name: name.output, pool: named.output } : t.nameWrong;
}
