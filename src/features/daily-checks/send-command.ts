import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { client } from '#src/app/worker/worker-client.ts';

/** Stores a command on this device, from where it is sent. Returns why it couldn't be stored. */
export async function sendCommand(
  send: () => ReturnType<ReturnType<typeof client>['send']>,
): Promise<Failure | null> {
  try {
    const sent = await send();
    return sent.ok ? null : sent.failure;
  } catch {
    return { kind: 'storage', message: MESSAGES.storage };
  }
}
