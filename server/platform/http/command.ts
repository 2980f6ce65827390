import type { CommandId, DeviceId } from '#contract/ids.ts';
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Issue } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { COMMAND_HEADERS } from '#contract/sync/calls.ts';
import { canonical } from '../db/canonical.ts';
import type { CommandKey } from './handler.ts';
import { requestMessages as t } from './request.messages.en.ts';

const Uuid = v.pipe(v.string(), v.uuid());
const Order = v.pipe(v.string(), v.regex(/^[1-9]\d{0,14}$/));

/**
 * Reads the command's key (OUT-3): all three headers or none. `raw` is the input as sent, so the
 * same command has the same hash.
 */
export function readCommand(
  headers: Headers,
  call: string,
  raw: unknown,
): Result<CommandKey | null> {
  const id = headers.get(COMMAND_HEADERS.key);
  const device = headers.get(COMMAND_HEADERS.device);
  const order = headers.get(COMMAND_HEADERS.order);
  if (id === null && device === null && order === null) return ok(null);
  const issues: Issue[] = [];
  if (!v.is(Uuid, id)) issues.push({ path: COMMAND_HEADERS.key, message: t.uuid });
  if (!v.is(Uuid, device)) issues.push({ path: COMMAND_HEADERS.device, message: t.uuid });
  if (!v.is(Order, order)) issues.push({ path: COMMAND_HEADERS.order, message: t.wholeNumber });
  if (id === null || device === null || issues.length > 0)
    return failed({ kind: 'bad-input', message: MESSAGES.badInput, issues });
  const bodyHash = createHash('sha256')
    .update(canonical({ call, input: raw }))
    .digest('hex');
  return ok({
    id: id.toLowerCase() as CommandId,
    device: device.toLowerCase() as DeviceId,
    order: Number(order),
    bodyHash,
  });
}
